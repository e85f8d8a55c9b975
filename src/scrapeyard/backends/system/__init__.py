"""What the machine itself gives: its clock."""
