"""What works: the cluster, a service for each role, the door, and what watches over them.

Nothing is kept here, so this stack can be deleted at night and made anew in the morning.
"""

import aws_cdk as cdk
from aws_cdk import aws_certificatemanager as acm
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_elasticloadbalancingv2 as elb
from aws_cdk import aws_logs as logs
from constructs import Construct

from scrapeyard_aws.network import API_PORT, Network
from scrapeyard_aws.options import Deployment
from scrapeyard_aws.roles import ROLES, task_role
from scrapeyard_aws.scaling import scale
from scrapeyard_aws.services import CONTROLLER, DISPATCHER, Services, worker
from scrapeyard_aws.storage import Storage
from scrapeyard_aws.watching import Watch


class Fleet(cdk.Stack):
    """The stack."""

    def __init__(self, scope: Construct, options: Deployment, storage: Storage) -> None:
        super().__init__(
            scope, "fleet", stack_name=f"{options.name}-fleet", synthesizer=cdk.CliCredentialsStackSynthesizer()
        )
        network = Network(self, options)
        cluster = ecs.Cluster(
            self,
            "Cluster",
            cluster_name=options.name,
            vpc=network.vpc,
            enable_fargate_capacity_providers=True,
            container_insights_v2=ecs.ContainerInsights.DISABLED,
        )
        log_group = logs.LogGroup(
            self,
            "Logs",
            log_group_name=f"/{options.name}",
            removal_policy=cdk.RemovalPolicy.DESTROY,
            retention=logs.RetentionDays[_days(options.log_days)],
        )
        services = Services(self, options, storage, network, cluster, log_group)
        roles = {role: task_role(self, role, storage, options.name) for role in ROLES}
        controller = services.add(CONTROLLER, roles["controller"])
        services.add(DISPATCHER, roles["dispatcher"])
        watch = Watch(self, options, storage)
        for lane, slots, most in (
            ("http", options.http_slots, options.http_most),
            ("browser", options.browser_slots, options.browser_most),
        ):
            service = services.add(worker(lane, slots), roles["worker"])
            scale(service, lane=lane, slots=slots, most=most)
        watch.draw()
        if options.certificate_arn:
            self._door(options, network, controller)
        cdk.CfnOutput(self, "ClusterName", value=cluster.cluster_name)

    def _door(self, options: Deployment, network: Network, controller: ecs.FargateService) -> None:
        """From the Internet to the API and the dashboard, by TLS only; who comes in needs a key all the same."""
        balancer = elb.ApplicationLoadBalancer(
            self, "Door", vpc=network.vpc, internet_facing=True, drop_invalid_header_fields=True
        )
        listener = balancer.add_listener(
            "Tls",
            port=443,
            certificates=[acm.Certificate.from_certificate_arn(self, "Name", options.certificate_arn)],
            ssl_policy=elb.SslPolicy.RECOMMENDED_TLS,
        )
        listener.add_targets(
            "Controller",
            port=API_PORT,
            protocol=elb.ApplicationProtocol.HTTP,
            targets=[controller.load_balancer_target(container_name="main", container_port=API_PORT)],
            health_check=elb.HealthCheck(path="/healthz", interval=cdk.Duration.seconds(30)),
            deregistration_delay=cdk.Duration.seconds(15),
        )
        cdk.CfnOutput(self, "DoorName", value=balancer.load_balancer_dns_name)


def _days(days: int) -> str:
    """CDK's word for so many days."""
    words = {
        1: "ONE_DAY",
        3: "THREE_DAYS",
        7: "ONE_WEEK",
        14: "TWO_WEEKS",
        30: "ONE_MONTH",
        90: "THREE_MONTHS",
        180: "SIX_MONTHS",
        365: "ONE_YEAR",
    }
    if days not in words:
        raise ValueError(f"log_days={days}: write one of {', '.join(map(str, words))}.")
    return words[days]
