"""Storage in this process's memory: gone when it ends, quick, and as strict as every other backend."""
