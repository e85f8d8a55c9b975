"""The manifests: valid to their schemas, without rights, in step with the images, the settings and the figures."""

from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from deploy.container import image
from deploy.manifests import DEPLOY, base, documents, lines, of_kind, settings_of
from scrapeyard.model.metric import METRICS
from scrapeyard.wiring.storage import resolved

EXAMPLE = DEPLOY / "kubernetes" / "example"
BASE = base()
DEPLOYMENTS = of_kind(BASE, "Deployment")

KEDA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["scaleTargetRef", "triggers"],
    "properties": {
        "scaleTargetRef": {
            "type": "object",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {name: {"type": "string"} for name in ("apiVersion", "kind", "name")},
        },
        **{
            name: {"type": "integer", "minimum": 0}
            for name in (
                "pollingInterval", "initialCooldownPeriod", "cooldownPeriod", "idleReplicaCount", "minReplicaCount",
                "maxReplicaCount",
            )
        },
        "fallback": {"type": "object"},
        "advanced": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "restoreToOriginalReplicaCount": {"type": "boolean"},
                "horizontalPodAutoscalerConfig": {"type": "object"},
                "scalingModifiers": {"type": "object"},
            },
        },
        "triggers": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["type", "metadata"],
                "properties": {
                    "type": {"const": "prometheus"},
                    "name": {"type": "string"},
                    "metricType": {"enum": ["AverageValue", "Value"]},
                    "useCachedMetrics": {"type": "boolean"},
                    "authenticationRef": {"type": "object"},
                    "metadata": {
                        "type": "object",
                        "required": ["serverAddress", "query", "threshold"],
                        "additionalProperties": {"type": "string"},
                    },
                },
            },
        },
    },
}  # fmt: skip
"""KEDA's `ScaledObject` as its own definition has it, as far as a trigger of Prometheus goes."""


def test_every_manifest_is_what_kubernetes_knows():
    known = [one for one in BASE if one["kind"] != "ScaledObject"]
    assert len(known) >= 14
    for one in known:
        kubernetes_validate.validate(one, "1.37", strict=True)
    wrong = {**known[1], "spec": {**known[1]["spec"], "replica": 2}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, "1.37", strict=True)


def test_the_fleet_scales_on_a_figure_that_the_dispatcher_tells():
    told = {metric.name: metric for metric in METRICS}
    scaled = of_kind(BASE, "ScaledObject")
    assert set(scaled) == {name for name in DEPLOYMENTS if name.startswith("worker")}
    for name, spec in scaled.items():
        jsonschema.validate(spec, KEDA)
        jsonschema.Draft202012Validator.check_schema(KEDA)
        lane = name.removeprefix("worker-")
        words = spec["triggers"][0]["metadata"]
        figure, _, rest = words["query"].removeprefix("max(").partition("{")
        assert told[figure].labels == ("lane",)
        assert rest == f'lane="{lane}"}})'
        env = env_of(DEPLOYMENTS[name])
        assert words["threshold"] == env["SCRAPEYARD_WORKER__CONCURRENCY"]
        assert (spec["minReplicaCount"], "replicas" in DEPLOYMENTS[name]) == (0, False)


def container(deployment: dict[str, Any]) -> dict[str, Any]:
    (one,) = deployment["template"]["spec"]["containers"]
    return one


def env_of(deployment: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["value"] for one in container(deployment)["env"]}


@pytest.mark.parametrize("name", sorted(DEPLOYMENTS))
def test_a_pod_has_no_rights_and_is_let_end(name):
    spec, main = DEPLOYMENTS[name]["template"]["spec"], container(DEPLOYMENTS[name])
    made = image(main["image"].removeprefix("scrapeyard-"))
    assert spec["securityContext"]["runAsNonRoot"]
    assert f"{spec['securityContext']['runAsUser']}:{spec['securityContext']['runAsGroup']}" == made.user
    assert spec["automountServiceAccountToken"] is False
    assert main["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
    }  # fmt: skip
    assert {mount["mountPath"] for mount in main["volumeMounts"]} == set(made.volumes)
    assert tuple(main["livenessProbe"]["exec"]["command"]) == made.health
    settings = settings_of(env_of(DEPLOYMENTS[name]))
    if name.startswith("worker"):
        assert settings.worker.lane == name.removeprefix("worker-")
        assert spec["terminationGracePeriodSeconds"] >= settings.worker.grace + settings.worker.stall_limit + 10


def test_every_role_survives_that_a_node_is_emptied():
    budgets = of_kind(BASE, "PodDisruptionBudget")
    assert {one["selector"]["matchLabels"]["app.kubernetes.io/name"] for one in budgets.values()} == set(DEPLOYMENTS)
    assert all(DEPLOYMENTS[name]["replicas"] > 1 for name in ("controller", "dispatcher"))


def test_nobody_is_let_in_but_where_somebody_listens():
    policies = of_kind(BASE, "NetworkPolicy")
    assert policies["nobody"] == {"podSelector": {}, "policyTypes": ["Ingress"]}
    ports = {port["name"] for one in DEPLOYMENTS.values() for port in container(one)["ports"]}
    opened = {
        one["port"] for policy in policies.values() for rule in policy.get("ingress", []) for one in rule["ports"]
    }
    assert opened == {*ports, 8787}


def test_the_example_fits_the_base_and_its_addresses_go_together():
    (overlay,) = documents(EXAMPLE / "kustomization.yaml")
    assert overlay["resources"] == ["../base"]
    assert {one["name"] for one in overlay["images"]} == {container(one)["image"] for one in DEPLOYMENTS.values()}
    given = {f"{kind}Ref": {one["name"] for one in overlay[f"{kind}Generator"]} for kind in ("configMap", "secret")}
    for deployment in DEPLOYMENTS.values():
        asked = container(deployment)["envFrom"]
        assert {kind: {ref["name"]} for one in asked for kind, ref in one.items()} == given
    patch = yaml.safe_load((EXAMPLE / overlay["patches"][0]["path"]).read_text())
    assert set(patch["spec"]) <= set(of_kind(BASE, patch["kind"])[patch["metadata"]["name"]])
    env = lines(EXAMPLE / overlay["secretGenerator"][0]["envs"][0])
    env |= dict(line.split("=", 1) for line in overlay["configMapGenerator"][0]["literals"])
    assert resolved(settings_of(env)).ledger.startswith("postgresql://")
