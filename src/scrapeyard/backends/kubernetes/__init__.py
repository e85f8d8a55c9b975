"""Workers as pods of a deployment of Kubernetes."""
