"""What CloudWatch and ECS would make of the scaling rules of a template, minute by minute."""

import math
from typing import Any

from deploy.guards import resources


class Fleet:
    """Workers of one lane under the steps of a template, minute by minute, as CloudWatch and ECS would have it."""

    def __init__(self, template: dict[str, Any], lane: str) -> None:
        scaling = resources(template, "AWS::ApplicationAutoScaling::ScalingPolicy")
        rings = resources(template, "AWS::CloudWatch::Alarm")
        word = f"Worker{lane.capitalize()}"
        self.rules = [
            (name, alarm, scaling[alarm["AlarmActions"][0]["Ref"]]["StepScalingPolicyConfiguration"])
            for name, alarm in rings.items()
            if name.startswith(word)
        ]
        assert len(self.rules) == 4
        self.workers = 0
        self._past: dict[str, list[float]] = {name: [] for name, *_ in self.rules}
        self._next = dict.fromkeys(self._past, 0)
        self._now = 0

    def minute(self, backlog: float, most: int) -> None:
        each = backlog / max(1, self.workers)
        values = {"each": each, "workers": self.workers, "backlog": backlog}
        self._now += 1
        for name, alarm, steps in self.rules:
            past = self._past[name]
            past.append(figure(alarm, values, each))
            seen, limit = past[-alarm["EvaluationPeriods"] :], alarm["Threshold"]
            rings = all(value >= limit for value in seen)
            if rings and len(seen) == alarm["EvaluationPeriods"] and self._now >= self._next[name]:
                self.workers = min(most, max(0, self.workers + self._change(steps, seen[-1] - limit)))
                self._next[name] = self._now + int(steps["Cooldown"]) // 60

    def _change(self, steps: dict[str, Any], beyond: float) -> int:
        amount = next(
            one["ScalingAdjustment"]
            for one in steps["StepAdjustments"]
            if one.get("MetricIntervalLowerBound", -math.inf) <= beyond <= one.get("MetricIntervalUpperBound", math.inf)
        )
        if steps["AdjustmentType"] == "ChangeInCapacity":
            return int(amount)
        least = int(math.copysign(steps["MinAdjustmentMagnitude"], amount))
        change = int(self.workers * amount / 100)
        return least if abs(change) < abs(least) else change


def figure(alarm: dict[str, Any], values: dict[str, float], each: float) -> float:
    """What an alarm looks at: the backlog of each worker, or an expression such as `IF(workers < 1, 1, 0)`."""
    if "MetricName" in alarm:
        assert alarm["MetricName"] == "BacklogPerWorker"
        return each
    (said,) = (one["Expression"] for one in alarm["Metrics"] if "Expression" in one)
    condition = said.removeprefix("IF(").removesuffix(", 1, 0)").replace(" AND ", " and ")
    return float(eval(condition, {"__builtins__": {}}, values))
