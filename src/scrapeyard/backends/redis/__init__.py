"""Redis or Valkey: queue and fleet of many machines, where a database would be asked too often. Never the truth."""
