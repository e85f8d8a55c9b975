"""The command line: reads options, asks the service, prints. One file per group of commands."""
