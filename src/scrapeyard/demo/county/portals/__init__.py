"""The portals of the county, one file each; every one has a `routes(site)`."""
