"""What CloudWatch reads out of the log."""
