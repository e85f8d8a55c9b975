"""Mail, chat and many other services, through the library apprise (extra `alerts`)."""
