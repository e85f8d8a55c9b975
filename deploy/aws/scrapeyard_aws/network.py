"""Where tasks stand: two zones, a free way to DynamoDB and S3, and nobody is let in who has no business there."""

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from scrapeyard_aws.options import Deployment
from scrapeyard_aws.storage import LIVE_PORT

API_PORT = 8080
_INTERFACES = {
    "Sqs": ec2.InterfaceVpcEndpointAwsService.SQS,
    "Logs": ec2.InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
    "Ecr": ec2.InterfaceVpcEndpointAwsService.ECR,
    "EcrDocker": ec2.InterfaceVpcEndpointAwsService.ECR_DOCKER,
}


class Network(Construct):
    """The network of a deployment; `places` is where its tasks stand, `guards` a security group for each role."""

    def __init__(self, scope: Construct, options: Deployment) -> None:
        super().__init__(scope, "Network")
        hidden = options.egress == "nat"
        subnets = [ec2.SubnetConfiguration(name="Public", subnet_type=ec2.SubnetType.PUBLIC, cidr_mask=20)]
        if hidden:
            kind = ec2.SubnetType.PRIVATE_WITH_EGRESS
            subnets.append(ec2.SubnetConfiguration(name="Private", subnet_type=kind, cidr_mask=20))
        self.vpc = ec2.Vpc(
            self,
            "Vpc",
            max_azs=2,
            nat_gateways=1 if hidden else 0,
            subnet_configuration=subnets,
            gateway_endpoints={
                "S3": ec2.GatewayVpcEndpointOptions(service=ec2.GatewayVpcEndpointAwsService.S3),
                "DynamoDb": ec2.GatewayVpcEndpointOptions(service=ec2.GatewayVpcEndpointAwsService.DYNAMODB),
            },
        )
        self.public = not hidden
        self.places = ec2.SubnetSelection(
            subnet_type=ec2.SubnetType.PRIVATE_WITH_EGRESS if hidden else ec2.SubnetType.PUBLIC
        )
        if options.interface_endpoints:
            for name, service in _INTERFACES.items():
                self.vpc.add_interface_endpoint(name, service=service, subnets=self.places)
        self.guards = {
            role: ec2.SecurityGroup(self, role.capitalize(), vpc=self.vpc, description=f"scrapeyard {role}")
            for role in ("controller", "dispatcher", "worker")
        }
        for role in ("controller", "dispatcher", "worker"):
            self.guards["dispatcher"].add_ingress_rule(
                self.guards[role], ec2.Port.tcp(LIVE_PORT), f"the live channel, from {role}"
            )
