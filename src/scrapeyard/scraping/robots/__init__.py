"""What sites ask of robots: their robots.txt fetched once, read as RFC 9309 wants it, and kept to."""
