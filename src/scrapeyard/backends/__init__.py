"""Our storage and services, one folder per technology, one file per port that it fills."""
