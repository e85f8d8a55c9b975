"""The parts of the deployment on AWS."""
