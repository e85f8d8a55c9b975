"""The deployment on AWS: its templates say what they should, an emulator makes them, and a job runs on what it made."""

import asyncio
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import boto3
import pytest

from deploy.guards import Grant, Guard, allowed, grants, listed, plain, resources
from deploy.manifests import settings_of
from deploy.steps import Fleet
from deploy.test_images import SCRAPER, stopped
from scrapeyard.backends.dynamodb.opening import DEFINITION
from scrapeyard.backends.dynamodb.table import EXPIRES
from scrapeyard.backends.sqs.lines import HIDDEN, RETAINED, RETAINED_UNREAD
from scrapeyard.model.ask import JobOrder
from scrapeyard.model.item import NewItem
from scrapeyard.model.metric import METRICS, NAMESPACE
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.settings import Settings, StorageSettings, WorkerSettings
from scrapeyard.testing.servers.ministack import SqsServer
from scrapeyard.testing.servers.process import wrapped
from scrapeyard.wiring import open_yard

HERE = Path(__file__).parent
OTHER = {
    "name": "second", "egress": "nat", "interface_endpoints": "true",
    "certificate_arn": "arn:aws:acm:eu-west-1:123456789012:certificate/x",
    "alarm_email": "ops@example.com", "on_demand_percent": "25", "secret_names": "residential,login", "log_days": "90",
}  # fmt: skip


class Templates(NamedTuple):
    """One deployment as CloudFormation gets it."""

    folder: Path

    @property
    def storage(self) -> dict[str, Any]:
        return json.loads((self.folder / "storage.template.json").read_text())

    @property
    def fleet(self) -> dict[str, Any]:
        return json.loads((self.folder / "fleet.template.json").read_text())


@pytest.fixture(scope="module")
def both(tmp_path_factory) -> list[Templates]:
    """By default, and with everything chosen otherwise."""
    folders = [tmp_path_factory.mktemp("plain"), tmp_path_factory.mktemp("other")]
    done = subprocess.run(
        [sys.executable, str(HERE / "synth.py"), *map(str, folders)], input=json.dumps([{}, OTHER]), text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3_000:]
    return [Templates(folder) for folder in folders]


@pytest.fixture(scope="module")
def plainly(both) -> Templates:
    return both[0]


def only(template: dict[str, Any], kind: str) -> dict[str, Any]:
    (one,) = resources(template, kind).values()
    return one


def test_the_templates_are_clean_to_the_linter_of_cloudformation(both):
    files = [str(file) for one in both for file in one.folder.glob("*.template.json")]
    assert len(files) == 4
    lint = Path(sys.executable).with_name("cfn-lint")
    # CDK itself names orders twice, which does no harm
    done = subprocess.run(
        [str(lint), "--ignore-checks", "W3005", "--", *files], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_table_is_the_one_that_the_ledger_would_make(plainly):
    table = only(plainly.storage, "AWS::DynamoDB::Table")
    assert table["BillingMode"] == DEFINITION["BillingMode"]
    assert table["KeySchema"] == DEFINITION["KeySchema"]
    assert table["GlobalSecondaryIndexes"] == DEFINITION["GlobalSecondaryIndexes"]

    def by_name(one: dict[str, str]) -> str:
        return one["AttributeName"]

    assert sorted(table["AttributeDefinitions"], key=by_name) == sorted(DEFINITION["AttributeDefinitions"], key=by_name)
    assert table["TimeToLiveSpecification"] == {"AttributeName": EXPIRES, "Enabled": True}
    assert table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
    assert table["DeletionProtectionEnabled"]


def test_the_queues_are_those_that_would_be_made_on_demand(plainly):
    queues = {one["QueueName"]: one for one in resources(plainly.storage, "AWS::SQS::Queue").values()}
    kept = {"scrapeyard-http": RETAINED, "scrapeyard-browser": RETAINED, "scrapeyard-unreadable": RETAINED_UNREAD}
    assert {name: one["MessageRetentionPeriod"] for name, one in queues.items()} == kept
    assert all(one["VisibilityTimeout"] == HIDDEN and one["SqsManagedSseEnabled"] for one in queues.values())


def test_nobody_else_reads_the_bucket_and_what_is_no_longer_needed_goes(plainly):
    (bucket,) = (one for one in plainly.storage["Resources"].values() if one["Type"] == "AWS::S3::Bucket")
    said = bucket["Properties"]
    assert bucket["DeletionPolicy"] == "Retain"
    assert set(said["PublicAccessBlockConfiguration"].values()) == {True}
    assert said["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    rules = {rule["Id"]: rule for rule in said["LifecycleConfiguration"]["Rules"]}
    assert rules["what-was-left-half-way"]["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 2}
    assert rules["what-was-replaced"]["NoncurrentVersionExpiration"] == {"NoncurrentDays": 30}
    assert rules["what-is-seldom-read"]["Transitions"][0]["StorageClass"] == "INTELLIGENT_TIERING"
    refused = only(plainly.storage, "AWS::S3::BucketPolicy")["PolicyDocument"]["Statement"]
    assert {"Bool": {"aws:SecureTransport": "false"}} in [one.get("Condition") for one in refused]


def test_no_policy_allows_more_than_it_names(both):
    wide: set[tuple[str, str]] = set()
    for template in (one.fleet for one in both):
        for policy in resources(template, "AWS::IAM::Policy").values():
            for statement in policy["PolicyDocument"]["Statement"]:
                assert not [action for action in listed(statement["Action"]) if "*" in action]
                for place in (plain(one, Anything()) for one in listed(statement["Resource"])):
                    if "*" in place or "?" in place:
                        wide |= {(action, place.rpartition(">")[2] or place) for action in listed(statement["Action"])}
    assert wide == {
        ("ecr:GetAuthorizationToken", "*"),  # AWS knows no narrower one
        *((f"s3:{verb}", "/yard/*") for verb in ("GetObject", "PutObject", "DeleteObject", "AbortMultipartUpload")),
        ("s3:DeleteObject", "/yard/jobs/*.part"),
        ("ecs:UpdateTaskProtection", ":task/scrapeyard/*"),  # tasks have names by lot
        ("ecs:UpdateTaskProtection", ":task/second/*"),
        *(  # the end of a secret's name is drawn by AWS
            (f"secretsmanager:{verb}", f":secret:second/{name}-??????")
            for verb in ("GetSecretValue", "DescribeSecret")
            for name in ("residential", "login")
        ),
    }


class Anything(dict[str, str]):
    """Whatever the other stack would give."""

    def __missing__(self, name: str) -> str:
        return f"<{name}>"


def tasks(template: dict[str, Any]) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Each task with its only container, by family."""
    found = resources(template, "AWS::ECS::TaskDefinition").values()
    return {task["Family"]: (task, task["ContainerDefinitions"][0]) for task in found}


def test_every_task_runs_as_nobody_writes_to_its_volumes_only_and_is_let_end(plainly):
    found = tasks(plainly.fleet)
    assert set(found) == {
        f"scrapeyard-{name}" for name in ("controller", "dispatcher", "worker-http", "worker-browser")
    }
    for family, (task, container) in found.items():
        assert len(task["ContainerDefinitions"]) == 1
        assert container["User"] == "10001:10001"
        assert container["ReadonlyRootFilesystem"] is True
        assert {point["ContainerPath"] for point in container["MountPoints"]} == {"/data", "/tmp"}
        assert container["HealthCheck"]["Command"] == ["CMD", "scrapeyard", "alive"]
        assert container["LogConfiguration"]["Options"]["mode"] == "non-blocking"
        env = {one["Name"]: one["Value"] for one in container["Environment"]}
        settings = settings_of({name: plain(value, Anything()) for name, value in env.items()})
        assert settings.metrics.emf
        if "worker" in family:
            assert settings.worker.lane == family.rpartition("-")[2]
            assert container["StopTimeout"] == 120
            assert settings.worker.grace + settings.worker.stall_limit <= 110


def test_workers_come_and_go_and_the_others_stay(both):
    for template, steady in zip((one.fleet for one in both), (0, 25), strict=True):
        services = {one["ServiceName"]: one for one in resources(template, "AWS::ECS::Service").values()}
        for name, service in services.items():
            shares = {one["CapacityProvider"]: one["Weight"] for one in service["CapacityProviderStrategy"]}
            if name.startswith("worker"):
                assert "DesiredCount" not in service  # an update would set it back otherwise
                assert shares == {"FARGATE_SPOT": 100 - steady} | ({"FARGATE": steady} if steady else {})
            else:
                assert (service["DesiredCount"], shares) == (1, {"FARGATE": 100})
        targets = resources(template, "AWS::ApplicationAutoScaling::ScalableTarget").values()
        assert sorted((one["MinCapacity"], one["MaxCapacity"]) for one in targets) == [(0, 10), (0, 20)]


def test_only_the_live_channel_and_the_door_let_anybody_in(both):
    inward = {"scrapeyard controller": 0, "scrapeyard dispatcher": 3, "scrapeyard worker": 0}
    template = both[0].fleet
    groups = resources(template, "AWS::EC2::SecurityGroup")
    rules = resources(template, "AWS::EC2::SecurityGroupIngress").values()
    for name, group in groups.items():
        assert "SecurityGroupIngress" not in group
        mine = [rule for rule in rules if rule["GroupId"]["Fn::GetAtt"][0] == name]
        assert len(mine) == inward[group["GroupDescription"]]
        assert all(rule["FromPort"] == rule["ToPort"] == 8787 and "CidrIp" not in rule for rule in mine)
    networks = [
        one["NetworkConfiguration"]["AwsvpcConfiguration"] for one in resources(template, "AWS::ECS::Service").values()
    ]
    assert {one["AssignPublicIp"] for one in networks} == {"ENABLED"}
    hidden = both[1].fleet
    assert len(resources(hidden, "AWS::EC2::NatGateway")) == 1
    assert len(resources(hidden, "AWS::EC2::VPCEndpoint")) == 6
    networks = [
        one["NetworkConfiguration"]["AwsvpcConfiguration"] for one in resources(hidden, "AWS::ECS::Service").values()
    ]
    assert {one["AssignPublicIp"] for one in networks} == {"DISABLED"}
    assert only(hidden, "AWS::ElasticLoadBalancingV2::Listener")["Protocol"] == "HTTPS"
    assert not resources(template, "AWS::ElasticLoadBalancingV2::Listener")


def test_what_a_person_must_look_at_rings(plainly):
    alarms = {one.get("AlarmName", ""): one for one in resources(plainly.fleet, "AWS::CloudWatch::Alarm").values()}
    rings = {name.removeprefix("scrapeyard-"): one["Threshold"] for name, one in alarms.items() if name}
    assert rings == {
        "Unreadable": 0, "HttpInFlight": 96_000, "BrowserInFlight": 96_000, "BreakerTrips": 0, "NoDispatcher": 1,
        "HttpNoProgress": 0, "BrowserNoProgress": 0, "ErrorRate": 0.3,
    }  # fmt: skip
    assert all(one["AlarmActions"] for one in alarms.values())
    assert alarms["scrapeyard-NoDispatcher"]["TreatMissingData"] == "breaching"
    assert only(plainly.fleet, "AWS::Logs::LogGroup")["RetentionInDays"] == 30


def test_alarms_and_curves_show_figures_that_are_told(plainly):
    known = {(one.cloud, frozenset(one.dimensions)) for one in METRICS}
    shown: set[tuple[str, frozenset[str]]] = set()
    for alarm in resources(plainly.fleet, "AWS::CloudWatch::Alarm").values():
        for one in [
            alarm,
            *(query["MetricStat"]["Metric"] for query in alarm.get("Metrics", []) if "MetricStat" in query),
        ]:
            if one.get("Namespace") == NAMESPACE:
                shown.add((one["MetricName"], frozenset(each["Name"] for each in one.get("Dimensions", []))))
    page = plain(only(plainly.fleet, "AWS::CloudWatch::Dashboard")["DashboardBody"], Anything()).replace(
        "<AWS::Region>", "x"
    )
    for widget in json.loads(page)["widgets"]:
        for namespace, name, *words in (line for line in widget["properties"]["metrics"] if line[0] == NAMESPACE):
            assert namespace == NAMESPACE
            shown.add((name, frozenset(word for word in words[:-1:2] if isinstance(word, str))))
    assert len(shown) >= 10
    assert shown <= known


@pytest.mark.parametrize(("lane", "slots"), [("http", 64), ("browser", 4)])
@pytest.mark.parametrize("wanted", [0.05, 1, 3, 10])
def test_a_fleet_grows_from_nothing_stays_and_goes_back_to_nothing(plainly, lane, slots, wanted):
    fleet = Fleet(plainly.fleet, lane)
    sizes: list[int] = []
    for minute in range(180):
        busy = 10 <= minute < 110
        fleet.minute(wanted * slots * (1 + 0.1 * math.sin(minute)) if busy else 0.0, most=20)
        sizes.append(fleet.workers)
    assert sizes[:10] == [0] * 10
    assert max(sizes[:20]) >= max(1, wanted * 0.75)
    settled = sizes[30:110]
    assert wanted * 0.75 <= min(settled) <= max(settled) <= max(1, wanted * 1.75)
    turns = [now - before for before, now in pairwise(settled) if now != before]
    assert sum(one * other < 0 for one, other in pairwise(turns)) <= 1
    assert sizes[-1] == 0


class Made(NamedTuple):
    """What the emulator made of the storage stack."""

    server: SqsServer
    outputs: dict[str, str]
    exports: dict[str, str]


@pytest.fixture(scope="module")
def made(plainly) -> Iterator[Made]:
    with SqsServer() as server:
        cloud = client(server, "cloudformation")
        words = {"StackName": "scrapeyard-storage", "TemplateBody": json.dumps(plainly.storage)}
        cloud.create_stack(**words)
        cloud.get_waiter("stack_create_complete").wait(StackName="scrapeyard-storage", WaiterConfig={"Delay": 1})
        said = cloud.describe_stacks(StackName="scrapeyard-storage")["Stacks"][0]["Outputs"]
        yield Made(
            server, {one["OutputKey"]: one["OutputValue"] for one in said},
            {one["ExportName"]: one["OutputValue"] for one in said if "ExportName" in one},
        )  # fmt: skip


def client(server: SqsServer, name: str) -> Any:
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "testsecret"}
    return boto3.client(name, endpoint_url=server.endpoint, region_name="us-east-1", **keys)


def test_the_stack_is_made_and_changed(plainly, made):
    cloud = client(made.server, "cloudformation")
    changed = plainly.storage
    only(changed, "AWS::S3::Bucket")["LifecycleConfiguration"]["Rules"][1]["NoncurrentVersionExpiration"] = {
        "NoncurrentDays": 90
    }
    cloud.update_stack(StackName="scrapeyard-storage", TemplateBody=json.dumps(changed))
    cloud.get_waiter("stack_update_complete").wait(StackName="scrapeyard-storage", WaiterConfig={"Delay": 1})
    table = client(made.server, "dynamodb").describe_table(TableName="scrapeyard")["Table"]
    assert table["GlobalSecondaryIndexes"][0]["KeySchema"] == DEFINITION["GlobalSecondaryIndexes"][0]["KeySchema"]
    assert len(client(made.server, "sqs").list_queues()["QueueUrls"]) == 3


async def test_a_job_runs_on_what_was_made_and_asks_for_nothing_that_its_roles_may_not(
    tmp_path, plainly, made, monkeypatch
):
    for name, value in {**made.server.env, "AWS_REGION": "us-east-1"}.items():
        monkeypatch.setenv(name, value)
    scraper = tmp_path / "task.py"
    scraper.write_text(SCRAPER)
    asked: dict[str, set[Grant]] = {role: set() for role in ("controller", "dispatcher", "worker")}
    async with AsyncExitStack() as guards:
        settings = {
            role: Settings(
                data=tmp_path / role, scrapers=(str(scraper),), worker=WorkerSettings(lease=12.0, grace=5.0),
                storage=await through(guards, made, asked[role]),
            )
            for role in asked
        }  # fmt: skip
        fleet: list[subprocess.Popen[bytes]] = []
        try:
            async with open_yard(settings["controller"]) as yard:
                card = yard.scrapers.find("image.task")
                check = yard.scrapers.load(card.ref).check_inputs
                job = (await yard.service.jobs.open(JobOrder("aws", card, Policy()))).job
                await yard.service.jobs.load(job.id, [NewItem(*check({"key": str(n)})) for n in range(40)])
                await yard.service.jobs.seal(job.id)
                fleet += [role_of(settings[role], role, tmp_path) for role in ("dispatcher", "worker")]
                async with asyncio.timeout(120):
                    while (await yard.service.jobs.get(job.id)).state is not JobState.COMPLETED:
                        assert all(one.poll() is None for one in fleet), (tmp_path / "worker.log").read_text()
                        await asyncio.sleep(0.2)
                lines = [json.loads(line) async for line in yard.service.results.manifest_lines(job.id)]
                assert {line["outcome"] for line in lines} == {VisitState.SUCCEEDED}
                assert len(lines) == 40
            assert [await stopped(process) for process in reversed(fleet)] == [0, 0]
        finally:
            for process in fleet:
                process.kill()
                process.wait()
    for role, wishes in asked.items():
        granted = grants(plainly.fleet, role.capitalize(), made.exports)
        assert {one.action.partition(":")[0] for one in wishes} >= {"dynamodb", "s3"}
        assert [one for one in sorted(wishes) if not allowed(one, granted)] == []
    assert not allowed(
        Grant("s3:ListBucket", f"arn:aws:s3:::{bucket_of(made)}"), grants(plainly.fleet, "Worker", made.exports)
    )


def bucket_of(made: Made) -> str:
    return made.outputs["BlobsAddress"].partition("://")[2].partition("/")[0]


async def through(guards: AsyncExitStack, made: Made, asked: set[Grant]) -> StorageSettings:
    """The addresses that the stack gives, met through a guard that notes everything."""
    guard = await guards.enter_async_context(Guard(made.server.endpoint, "000000000000", asked))
    there = f"endpoint=http://127.0.0.1:{guard.port}"
    live = made.outputs["LiveAddress"].replace("port=8787", f"host=127.0.0.1&{there}")
    return StorageSettings(
        ledger=f"{made.outputs['LedgerAddress']}?{there}", live=live, blobs=f"{made.outputs['BlobsAddress']}&{there}"
    )


def role_of(settings: Settings, role: str, folder: Path) -> "subprocess.Popen[bytes]":
    """One role as a process of its own, that ends with this one."""
    env = {
        **os.environ, "SCRAPEYARD_DATA": str(settings.data), "SCRAPEYARD_SCRAPERS": json.dumps(settings.scrapers),
        "SCRAPEYARD_STORAGE": settings.storage.model_dump_json(),
        "SCRAPEYARD_WORKER": settings.worker.model_dump_json(),
    }  # fmt: skip
    command = str(Path(sys.executable).with_name("scrapeyard"))
    with (folder / f"{role}.log").open("ab") as log:
        return subprocess.Popen(
            wrapped([command, role], None), stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env
        )
