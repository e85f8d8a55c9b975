"""As many workers as there is work for, by the figure that the dispatcher publishes: the backlog of each worker.

What waits lies in the ledger and not in SQS, where there are only seconds of work. The backlog counts what runs, too;
so it is nought only when there is nothing at all to do. Steps and not target tracking, because a fleet of none has to
grow as well, be the work ever so little: that is a rule of its own. Growing goes in multiples, every minute; shrinking
is slow, and the bands lie so far apart that a fleet which has just shrunk by a fifth is far from growing again. Whoever
is taken away drains.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_applicationautoscaling as autoscaling
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_ecs as ecs

from scrapeyard.model.metric import BACKLOG, BACKLOG_PER_WORKER, WORKERS
from scrapeyard_aws.figures import told

GROW_AT = 1.25
"""Slots' worth of backlog a worker from which there should be more."""
SHRINK_AT = 0.5
PATIENCE = 10
"""Minutes for which there must be too many before some are let go."""
GROWTH = ((0.0, 50), (0.75, 100), (2.75, 300))
"""So much above `GROW_AT`, in slots: per cent more workers."""
SHRINKING = -20
_PERCENT = autoscaling.AdjustmentType.PERCENT_CHANGE_IN_CAPACITY
_WORKERS = autoscaling.AdjustmentType.CHANGE_IN_CAPACITY


@dataclass(frozen=True)
class Rule:
    """When the figure was at `limit` or above it for so many minutes, there are so many more workers: `steps` says from
    how far above the limit how many, or how many per cent. `rest` minutes pass before the next time."""

    name: str
    figure: cloudwatch.IMetric
    limit: float
    steps: tuple[tuple[float, int], ...]
    minutes: int
    rest: int
    unit: autoscaling.AdjustmentType = _PERCENT


def scale(service: ecs.FargateService, *, lane: str, slots: int, most: int) -> None:
    """Let the service of a lane have 0 to `most` workers of so many slots."""
    target = service.auto_scale_task_count(min_capacity=0, max_capacity=most)
    for rule in rules(lane, slots):
        _apply(rule, service, target)


def rules(lane: str, slots: int) -> Sequence[Rule]:
    """Those of a lane. Where no dispatcher tells anything, nothing is changed."""
    known = {"each": told(BACKLOG_PER_WORKER, lane), "workers": told(WORKERS, lane), "backlog": told(BACKLOG, lane)}

    def when(condition: str, *names: str) -> cloudwatch.MathExpression:
        return cloudwatch.MathExpression(
            label=f"{lane}: {condition}",
            expression=f"IF({condition}, 1, 0)",
            period=cdk.Duration.minutes(1),
            using_metrics={name: known[name] for name in names},
        )

    nobody = when("workers < 1 AND backlog > 0", "workers", "backlog")
    many = when(f"workers > 1 AND each < {SHRINK_AT * slots:g}", "workers", "each")
    idle = when("backlog <= 0", "backlog")
    growth = tuple((start * slots, percent) for start, percent in GROWTH)
    return (
        Rule("Begin", nobody, 1, ((0, 1),), minutes=1, rest=3, unit=_WORKERS),
        Rule("Grow", known["each"], GROW_AT * slots, growth, minutes=1, rest=1),
        Rule("Shrink", many, 1, ((0, SHRINKING),), minutes=PATIENCE, rest=5),
        Rule("Rest", idle, 1, ((0, -100),), minutes=PATIENCE, rest=5),
    )


def _apply(rule: Rule, service: ecs.FargateService, target: ecs.ScalableTaskCount) -> None:
    action = autoscaling.StepScalingAction(
        service,
        rule.name,
        scaling_target=target,
        adjustment_type=rule.unit,
        cooldown=cdk.Duration.minutes(rule.rest),
        min_adjustment_magnitude=1 if rule.unit is _PERCENT else None,
        metric_aggregation_type=autoscaling.MetricAggregationType.AVERAGE,
    )
    edges = [start for start, _ in rule.steps] + [None]
    for place, (_, change) in enumerate(rule.steps):
        action.add_adjustment(adjustment=change, lower_bound=edges[place], upper_bound=edges[place + 1])
    alarm = cloudwatch.Alarm(
        service,
        f"{rule.name}Alarm",
        metric=rule.figure,
        threshold=rule.limit,
        alarm_description="Not for people: it changes the number of workers.",
        comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        evaluation_periods=rule.minutes,
        treat_missing_data=cloudwatch.TreatMissingData.IGNORE,
    )
    alarm.add_alarm_action(actions.ApplicationScalingAction(action))
