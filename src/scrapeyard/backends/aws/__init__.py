"""What DynamoDB and SQS have in common: signed requests over HTTP, credentials, and what AWS complains of."""
