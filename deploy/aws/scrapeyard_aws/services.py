"""One service of the cluster for each role: who it is, what it is told, and how it is let end.

Fargate lets a task live for at most two minutes after it was told to stop, on Spot or not. A worker uses 80 seconds of
them to let running items end, gives the others back unharmed, and writes down what it has.
"""

from dataclasses import dataclass, field

import aws_cdk as cdk
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from scrapeyard_aws.network import API_PORT, Network
from scrapeyard_aws.options import Deployment
from scrapeyard_aws.storage import LIVE_PORT, Storage

STOP_TIMEOUT = 120
"""Seconds, the most that Fargate grants."""
GRACE = 80
LEASE = 60
_USER = "10001:10001"
_VOLUMES = {"data": "/data", "tmp": "/tmp"}  # noqa: S108 - of the container, for itself
_DEFAULT = {"SCRAPEYARD_METRICS__EMF": "true", "SCRAPEYARD_WORKER__LEASE": str(LEASE)}
"""Every role tells its figures, and knows how long a lease is: the dispatcher gives up workers by it."""


@dataclass(frozen=True)
class Sort:
    """One sort of task. `machine` is its CPU units and MiB."""

    name: str
    role: str
    image: str
    command: tuple[str, ...]
    machine: tuple[int, int]
    env: dict[str, str] = field(default_factory=dict)
    port: int | None = None
    stop: int = 30
    spot: bool = False

    @property
    def scaled(self) -> bool:
        """Whether there are as many as there is work for."""
        return self.role == "worker"


CONTROLLER = Sort(
    "controller",
    "controller",
    "controller",
    ("controller", "--host", "0.0.0.0"),  # noqa: S104 - in a network of its own
    (256, 1024),
    port=API_PORT,
)
DISPATCHER = Sort("dispatcher", "dispatcher", "controller", ("dispatcher",), (512, 1024), port=LIVE_PORT)


def worker(lane: str, slots: int) -> Sort:
    """A worker of a lane."""
    machine = (1024, 4096) if lane == "http" else (2048, 8192)
    env = {
        "SCRAPEYARD_WORKER__LANE": lane,
        "SCRAPEYARD_WORKER__CONCURRENCY": str(slots),
        "SCRAPEYARD_WORKER__GRACE": str(GRACE),
        "SCRAPEYARD_WORKER__MEMORY_MB": str(machine[1] * 3 // 4),
    }
    return Sort(f"worker-{lane}", "worker", "worker", ("worker",), machine, env, stop=STOP_TIMEOUT, spot=True)


class Services:
    """Makes services in one cluster."""

    def __init__(
        self,
        scope: Construct,
        options: Deployment,
        storage: Storage,
        network: Network,
        cluster: ecs.Cluster,
        log_group: logs.LogGroup,
    ) -> None:
        self._scope, self._options, self._storage, self._network = scope, options, storage, network
        self._cluster, self._log_group = cluster, log_group
        self._addresses = {
            "SCRAPEYARD_STORAGE__LEDGER": storage.ledger,
            "SCRAPEYARD_STORAGE__LIVE": storage.live,
            "SCRAPEYARD_STORAGE__BLOBS": storage.blobs,
        }

    def add(self, sort: Sort, role: iam.Role) -> ecs.FargateService:
        """A service of this sort."""
        name = "".join(word.capitalize() for word in sort.name.split("-"))
        return ecs.FargateService(
            self._scope,
            name,
            service_name=sort.name,
            cluster=self._cluster,
            task_definition=self._task(sort, role, name),
            security_groups=[self._network.guards[sort.role]],
            vpc_subnets=self._network.places,
            assign_public_ip=self._network.public,
            capacity_provider_strategies=self._capacity(sort),
            desired_count=None if sort.scaled else 1,
            min_healthy_percent=100,
            max_healthy_percent=200,
            circuit_breaker=ecs.DeploymentCircuitBreaker(enable=not sort.scaled, rollback=not sort.scaled),
            enable_ecs_managed_tags=True,
            propagate_tags=ecs.PropagatedTagSource.SERVICE,
        )

    def _capacity(self, sort: Sort) -> list[ecs.CapacityProviderStrategy]:
        steady = self._options.on_demand_percent if sort.spot else 100
        shares = {"FARGATE_SPOT": 100 - steady, "FARGATE": steady}
        return [
            ecs.CapacityProviderStrategy(capacity_provider=name, weight=share)
            for name, share in shares.items()
            if share
        ]

    def _task(self, sort: Sort, role: iam.Role, name: str) -> ecs.FargateTaskDefinition:
        cpu, memory = sort.machine
        task = ecs.FargateTaskDefinition(
            self._scope,
            f"{name}Task",
            family=f"{self._options.name}-{sort.name}",
            cpu=cpu,
            memory_limit_mib=memory,
            task_role=role,
            volumes=[ecs.Volume(name=volume) for volume in _VOLUMES],
            runtime_platform=ecs.RuntimePlatform(
                cpu_architecture=ecs.CpuArchitecture.X86_64, operating_system_family=ecs.OperatingSystemFamily.LINUX
            ),
        )
        container = task.add_container(
            "main",
            command=list(sort.command),
            user=_USER,
            readonly_root_filesystem=True,
            essential=True,
            image=ecs.ContainerImage.from_ecr_repository(self._storage.images[sort.image], self._options.image_tag),
            environment={**self._addresses, **_DEFAULT, **sort.env},
            secrets=self._secrets(sort, name),
            stop_timeout=cdk.Duration.seconds(sort.stop),
            logging=ecs.LogDrivers.aws_logs(
                stream_prefix=sort.name,
                log_group=self._log_group,
                mode=ecs.AwsLogDriverMode.NON_BLOCKING,
                max_buffer_size=cdk.Size.mebibytes(8),
            ),
            health_check=ecs.HealthCheck(
                command=["CMD", "scrapeyard", "alive"],
                interval=cdk.Duration.seconds(30),
                retries=3,
                timeout=cdk.Duration.seconds(10),
                start_period=cdk.Duration.seconds(60),
            ),
            port_mappings=[ecs.PortMapping(container_port=sort.port)] if sort.port else [],
        )
        for volume, path in _VOLUMES.items():
            container.add_mount_points(ecs.MountPoint(source_volume=volume, container_path=path, read_only=False))
        return task

    def _secrets(self, sort: Sort, name: str) -> dict[str, ecs.Secret]:
        """Only workers speak to sites and proxies."""
        if sort.role != "worker":
            return {}
        found: dict[str, ecs.Secret] = {}
        for secret in filter(None, (word.strip() for word in self._options.secret_names.split(","))):
            kept = secretsmanager.Secret.from_secret_name_v2(
                self._scope, f"{name}Secret{secret}", f"{self._options.name}/{secret}"
            )
            found[f"SCRAPEYARD_SECRET_{secret.upper()}"] = ecs.Secret.from_secrets_manager(kept)
        return found
