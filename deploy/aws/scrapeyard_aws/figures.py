"""Figures as CloudWatch knows them."""

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch

from scrapeyard.model.metric import NAMESPACE, Metric


def told(figure: Metric, *labels: str, statistic: str = "Average", minutes: int = 1) -> cloudwatch.Metric:
    """A figure as the roles tell it."""
    dimensions = dict(zip(figure.dimensions, labels, strict=True))
    return cloudwatch.Metric(
        namespace=NAMESPACE,
        metric_name=figure.cloud,
        dimensions_map=dimensions,
        statistic=statistic,
        period=cdk.Duration.minutes(minutes),
    )
