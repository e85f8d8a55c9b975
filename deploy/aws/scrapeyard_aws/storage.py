"""What is kept: the ledger's table, the queues, the bucket of blobs, and the repositories of images.

The shapes are taken from the backends themselves. This stack outlives all others: deleting it leaves table and bucket.
"""

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_ecr as ecr
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from scrapeyard.backends.dynamodb.opening import DEFINITION
from scrapeyard.backends.dynamodb.table import EXPIRES
from scrapeyard.backends.sqs.lines import HIDDEN, RETAINED, RETAINED_UNREAD, UNREADABLE
from scrapeyard.backends.sqs.queue import LANES
from scrapeyard_aws.options import Deployment

LIVE_PORT = 8787
"""Where the leading dispatcher listens."""
PREFIX = "yard"
"""Below which all blobs lie."""
_KINDS = {"S": dynamodb.AttributeType.STRING, "B": dynamodb.AttributeType.BINARY, "N": dynamodb.AttributeType.NUMBER}


class Storage(cdk.Stack):
    """The stack. `ledger`, `live` and `blobs` are the addresses for the settings."""

    def __init__(self, scope: Construct, options: Deployment) -> None:
        super().__init__(
            scope, "storage", stack_name=f"{options.name}-storage", synthesizer=cdk.CliCredentialsStackSynthesizer()
        )
        self.table = self._table(options)
        self.lanes = {lane: self._queue(f"{options.name}-{lane}", RETAINED) for lane in LANES}
        self.unreadable = self._queue(f"{options.name}-{UNREADABLE}", RETAINED_UNREAD)
        self.bucket = self._bucket(options)
        self.images = {role: self._images(options, role) for role in ("controller", "worker")}
        self.ledger = f"dynamodb://{self.region}/{self.table.table_name}"
        self.live = f"sqs://{self.region}/{options.name}?port={LIVE_PORT}"
        self.blobs = f"s3://{self.bucket.bucket_name}/{PREFIX}?region={self.region}"
        for name in ("ledger", "live", "blobs"):
            cdk.CfnOutput(self, f"{name.capitalize()}Address", value=getattr(self, name), description=f"storage.{name}")
        for role, repository in self.images.items():
            cdk.CfnOutput(self, f"{role.capitalize()}Images", value=repository.repository_uri)

    def _table(self, options: Deployment) -> dynamodb.Table:
        kinds = {one["AttributeName"]: _KINDS[one["AttributeType"]] for one in DEFINITION["AttributeDefinitions"]}

        def key(schema: list[dict[str, str]], place: int) -> dynamodb.Attribute:
            name = schema[place]["AttributeName"]
            return dynamodb.Attribute(name=name, type=kinds[name])

        table = dynamodb.Table(
            self,
            "Ledger",
            table_name=options.name,
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            partition_key=key(DEFINITION["KeySchema"], 0),
            sort_key=key(DEFINITION["KeySchema"], 1),
            time_to_live_attribute=EXPIRES,
            deletion_protection=True,
            removal_policy=cdk.RemovalPolicy.RETAIN,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
        )
        for index in DEFINITION["GlobalSecondaryIndexes"]:
            table.add_global_secondary_index(
                index_name=index["IndexName"],
                partition_key=key(index["KeySchema"], 0),
                sort_key=key(index["KeySchema"], 1),
                projection_type=dynamodb.ProjectionType(index["Projection"]["ProjectionType"]),
                non_key_attributes=index["Projection"]["NonKeyAttributes"],
            )
        return table

    def _queue(self, name: str, seconds: int) -> sqs.Queue:
        return sqs.Queue(
            self,
            name.rpartition("-")[2].capitalize(),
            queue_name=name,
            visibility_timeout=cdk.Duration.seconds(HIDDEN),
            retention_period=cdk.Duration.seconds(seconds),
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
        )

    def _bucket(self, options: Deployment) -> s3.Bucket:
        return s3.Bucket(
            self,
            "Blobs",
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            versioned=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            removal_policy=cdk.RemovalPolicy.RETAIN,
            lifecycle_rules=[
                s3.LifecycleRule(
                    id="what-was-left-half-way", abort_incomplete_multipart_upload_after=cdk.Duration.days(2)
                ),
                s3.LifecycleRule(
                    id="what-was-replaced",
                    noncurrent_version_expiration=cdk.Duration.days(options.noncurrent_days),
                    expired_object_delete_marker=True,
                ),
                s3.LifecycleRule(
                    id="what-is-seldom-read",
                    prefix=f"{PREFIX}/jobs/",
                    transitions=[
                        s3.Transition(
                            storage_class=s3.StorageClass.INTELLIGENT_TIERING,
                            transition_after=cdk.Duration.days(30),
                        )
                    ],
                ),
            ],
        )

    def _images(self, options: Deployment, role: str) -> ecr.Repository:
        return ecr.Repository(
            self,
            f"{role.capitalize()}Repository",
            repository_name=f"{options.name}/{role}",
            image_scan_on_push=True,
            removal_policy=cdk.RemovalPolicy.RETAIN,
            lifecycle_rules=[ecr.LifecycleRule(max_image_count=30, description="the last thirty")],
        )
