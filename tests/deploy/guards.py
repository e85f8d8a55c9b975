"""What roles ask of AWS, told by the requests themselves, and whether the policies of a template would let them."""

import json
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from aiohttp import web

from costs.wire import Tap

Template = Mapping[str, Any]


class Grant(NamedTuple):
    """One action on one resource, which may be a pattern."""

    action: str
    resource: str


def resources(template: Template, kind: str) -> dict[str, dict[str, Any]]:
    """The properties of all resources of a kind, by logical name."""
    return {name: one.get("Properties", {}) for name, one in template["Resources"].items() if one["Type"] == kind}


def grants(template: Template, role: str, exports: Mapping[str, str]) -> set[Grant]:
    """Everything that the policies of a role allow; `exports` is what the other stack gives."""
    found: set[Grant] = set()
    for policy in resources(template, "AWS::IAM::Policy").values():
        if not any(attached["Ref"].startswith(role) for attached in policy["Roles"]):
            continue
        for statement in policy["PolicyDocument"]["Statement"]:
            assert statement["Effect"] == "Allow"
            for action in listed(statement["Action"]):
                for resource in listed(statement["Resource"]):
                    found.add(Grant(action, plain(resource, exports)))
    return found


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def plain(value: Any, exports: Mapping[str, str]) -> str:
    """A value of a template as the text that it becomes."""
    match value:
        case str():
            return value
        case {"Fn::ImportValue": name}:
            return exports[name]
        case {"Fn::GetAtt": [name, _]} | {"Ref": name}:
            return f"<{name}>"
        case {"Fn::Join": [between, parts]}:
            return between.join(plain(part, exports) for part in parts)
        case _:
            raise AssertionError(f"not known: {value}")


def allowed(asked: Grant, granted: Iterable[Grant]) -> bool:
    return any(one.action == asked.action and fnmatchcase(asked.resource, one.resource) for one in granted)


class Guard(Tap):
    """Notes what one role asks of one server, as the actions and resources that AWS would check."""

    def __init__(self, upstream: str, account: str, asked: set[Grant]) -> None:
        super().__init__(upstream, {}, {})  # type: ignore[arg-type]
        self._account = account
        self._asked = asked

    def answered(self, request: web.Request, body: bytes, status: int, said: bytes) -> None:
        family, _, action = request.headers.get("x-amz-target", "").rpartition(".")
        if family.startswith("DynamoDB"):
            self._asked.update(self._of_table(action, json.loads(body)))
        elif family == "AmazonSQS":
            self._asked.add(self._of_queue(action, json.loads(body)))
        else:
            self._asked.update(self._of_bucket(request))

    def _of_table(self, action: str, said: Mapping[str, Any]) -> Iterable[Grant]:
        if action == "TransactWriteItems":
            verbs = {
                "Put": "PutItem",
                "Update": "UpdateItem",
                "Delete": "DeleteItem",
                "ConditionCheck": "ConditionCheckItem",
            }
            for one in said["TransactItems"]:
                ((verb, change),) = one.items()
                yield self._table(verbs[verb], change["TableName"])
            return
        names = said["RequestItems"] if action == "BatchGetItem" else [said["TableName"]]
        index = f"/index/{said['IndexName']}" if "IndexName" in said else ""
        for name in names:
            yield self._table(action, f"{name}{index}")

    def _table(self, action: str, name: str) -> Grant:
        return Grant(f"dynamodb:{action}", f"arn:aws:dynamodb:us-east-1:{self._account}:table/{name}")

    def _of_queue(self, action: str, said: Mapping[str, Any]) -> Grant:
        name = said.get("QueueName") or said["QueueUrl"].rpartition("/")[2]
        return Grant(f"sqs:{action.removesuffix('Batch')}", f"arn:aws:sqs:us-east-1:{self._account}:{name}")

    def _of_bucket(self, request: web.Request) -> Iterable[Grant]:
        bucket, _, key = request.path.strip("/").partition("/")
        if not key:
            yield Grant("s3:ListBucket", f"arn:aws:s3:::{bucket}")
            return
        verbs = {
            "GET": "GetObject",
            "HEAD": "GetObject",
            "PUT": "PutObject",
            "POST": "PutObject",
            "DELETE": "DeleteObject",
        }
        yield Grant(f"s3:{verbs[request.method]}", f"arn:aws:s3:::{bucket}/{key}")
