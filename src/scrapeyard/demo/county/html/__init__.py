"""What the county's pages look like."""
