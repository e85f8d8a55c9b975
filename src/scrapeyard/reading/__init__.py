"""Reading out: captures become records. Nothing here fetches anything."""
