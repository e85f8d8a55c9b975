"""Workers as processes of this machine."""
