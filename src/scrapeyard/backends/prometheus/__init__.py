"""What Prometheus reads."""
