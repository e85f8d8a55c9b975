"""Workers as tasks of a service of ECS."""
