"""What each role may do: the requests that it really makes, to the things that are its own, and nothing else.

A worker runs authors' code and meets strangers' pages, so it has the least: it can put blobs and read them by name, but
can neither list nor delete what others have kept.
"""

from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from scrapeyard.backends.dynamodb.table import TROUBLE
from scrapeyard_aws.storage import PREFIX, Storage

ROLES = ("controller", "dispatcher", "worker")

_LEDGER = (
    "dynamodb:DescribeTable",
    "dynamodb:GetItem",
    "dynamodb:BatchGetItem",
    "dynamodb:Query",
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:DeleteItem",
    "dynamodb:ConditionCheckItem",
)
_QUEUE = {
    "controller": (),
    "dispatcher": ("sqs:GetQueueUrl", "sqs:GetQueueAttributes", "sqs:SendMessage"),
    "worker": (
        "sqs:GetQueueUrl",
        "sqs:GetQueueAttributes",
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:ChangeMessageVisibility",
    ),
}
_BLOBS = {
    "controller": ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"),
    "dispatcher": ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"),
    "worker": ("s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload"),
}


def task_role(scope: Construct, role: str, storage: Storage, cluster: str) -> iam.Role:
    """The role of a role's tasks, which run in the cluster of that name."""
    made = iam.Role(
        scope,
        f"{role.capitalize()}Role",
        assumed_by=iam.ServicePrincipal("ecs-tasks.amazonaws.com"),
        description=f"scrapeyard {role}",
    )
    own_tasks = cdk.Stack.of(scope).format_arn(service="ecs", resource="task", resource_name=f"{cluster}/*")
    table, bucket = storage.table.table_arn, storage.bucket.bucket_arn
    _allow(made, _LEDGER, [table])
    _allow(made, ["dynamodb:Query"], [f"{table}/index/{TROUBLE}"])
    if _QUEUE[role]:
        _allow(made, _QUEUE[role], [queue.queue_arn for queue in storage.lanes.values()])
    if role == "worker":
        _allow(made, ["sqs:GetQueueUrl", "sqs:SendMessage"], [storage.unreadable.queue_arn])
        _allow(made, ["s3:DeleteObject"], [f"{bucket}/{PREFIX}/jobs/*.part"])  # what it put aside itself
        _allow(made, ["ecs:UpdateTaskProtection"], [own_tasks])  # while it runs items, it is not the one to be stopped
    _allow(made, _BLOBS[role], [f"{bucket}/{PREFIX}/*"])
    if role != "worker":
        _allow(made, ["s3:ListBucket"], [bucket])  # without it, S3 says "forbidden" of what is not there
    return made


def _allow(role: iam.Role, actions: Sequence[str], resources: Sequence[str]) -> None:
    role.add_to_principal_policy(iam.PolicyStatement(actions=list(actions), resources=list(resources)))
