"""DynamoDB: the ledger of a fleet on AWS, which costs about two writes per item and has no hot key."""
