"""SQS: the hand-over of offers on AWS, where nothing is cheaper as long as it is asked seldom."""
