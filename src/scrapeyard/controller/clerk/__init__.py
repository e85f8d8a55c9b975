"""What a service does by itself, with nobody asking: begins jobs at due times, raises alarms, tidies up."""
