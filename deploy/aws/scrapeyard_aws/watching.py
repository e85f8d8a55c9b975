"""What rings, and what is drawn: alarms for what a person must look at, and one page of curves.

No figure has a dimension for a job or an item; so their number, and their price, does not grow with the work.
"""

from collections.abc import Mapping, Sequence

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from scrapeyard.backends.sqs.queue import ALARM, IN_FLIGHT, LANES
from scrapeyard.model import metric as figures
from scrapeyard.model.failures import Fault
from scrapeyard_aws.figures import told
from scrapeyard_aws.options import Deployment
from scrapeyard_aws.storage import Storage

ERROR_RATE = 0.3
"""Share of tries that fail, over a quarter of an hour, at which somebody should look."""
STILL_MINUTES = 30
_GOOD = (("succeeded", "none"), ("absent", "none"))
_MINUTE = cdk.Duration.minutes(1)
_OVER = cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD
_UNDER = cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
_MUST = cloudwatch.TreatMissingData.BREACHING
_NEED_NOT = cloudwatch.TreatMissingData.NOT_BREACHING


class Watch(Construct):
    """Alarms and the dashboard."""

    def __init__(self, scope: Construct, options: Deployment, storage: Storage) -> None:
        super().__init__(scope, "Watch")
        self._options, self._storage = options, storage
        # AWS's key for topics would keep alarms out; nothing secret stands in them
        self._topic = sns.Topic(self, "Rings", topic_name=f"{options.name}-alarms", enforce_ssl=True)
        if options.alarm_email:
            self._topic.add_subscription(subscriptions.EmailSubscription(options.alarm_email))
        self._queues()
        self._work()

    def _queues(self) -> None:
        self._alarm(
            "Unreadable",
            "Messages that nobody could read: look at them, and whether all are of one version.",
            self._storage.unreadable.metric_approximate_number_of_messages_visible(period=_MINUTE, statistic="Maximum"),
            0,
        )
        for lane, queue in self._storage.lanes.items():
            self._alarm(
                f"{lane.capitalize()}InFlight",
                f"{lane}: SQS gives nothing more out beyond {IN_FLIGHT:,} messages.",
                queue.metric_approximate_number_of_messages_not_visible(period=_MINUTE, statistic="Maximum"),
                ALARM * IN_FLIGHT,
            )

    def _work(self) -> None:
        self._alarm(
            "BreakerTrips",
            "A site's breaker has tripped: `scrapeyard why` says which, and what it saw.",
            told(figures.BREAKER_TRIPS, statistic="Sum", minutes=5),
            0,
        )
        self._alarm(
            "NoDispatcher",
            "No dispatcher says that it leads: nothing starts.",
            told(figures.LEADING, statistic="Maximum"),
            1,
            minutes=5,
            alive=True,
        )
        for lane in LANES:
            still = cloudwatch.MathExpression(
                label=f"{lane} stands still",
                expression="IF(FILL(backlog, 0) > 0 AND FILL(pace, 0) == 0, 1, 0)",
                period=_MINUTE,
                using_metrics={
                    "backlog": told(figures.BACKLOG, lane),
                    "pace": told(figures.PACE, lane, statistic="Maximum"),
                },
            )
            self._alarm(
                f"{lane.capitalize()}NoProgress",
                f"{lane}: there is work, and no item has ended for half an hour.",
                still,
                0,
                minutes=STILL_MINUTES,
            )
        self._alarm(
            "ErrorRate", "Many tries fail: `scrapeyard status` says how and where.", error_rate(), ERROR_RATE, minutes=3
        )

    def _alarm(
        self, name: str, said: str, metric: cloudwatch.IMetric, over: float, *, minutes: int = 1, alive: bool = False
    ) -> None:
        """Ring when the figure was over that for so many minutes; `alive` is one that must be there and not be less."""
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=f"{self._options.name}-{name}",
            alarm_description=said,
            metric=metric,
            threshold=over,
            evaluation_periods=minutes,
            comparison_operator=_UNDER if alive else _OVER,
            treat_missing_data=_MUST if alive else _NEED_NOT,
        )
        alarm.add_alarm_action(actions.SnsAction(self._topic))

    def draw(self) -> None:
        """The page of curves."""
        storage = self._storage
        lanes: Mapping[str, sqs.Queue] = storage.lanes
        by_lane = {
            "Workers, and how many are wanted": (figures.WORKERS, figures.WORKERS_WANTED),
            "Backlog": (figures.BACKLOG, figures.WAITING),
            "Items a second": (figures.PACE,),
        }
        curves: dict[str, Sequence[cloudwatch.IMetric]] = {
            title: [told(figure, lane) for figure in shown for lane in LANES] for title, shown in by_lane.items()
        }
        curves["Tries by outcome"] = [told(figures.OUTCOMES, *which, statistic="Sum") for which in (*_GOOD, *_bad())]
        curves["Breakers that tripped"] = [told(figures.BREAKER_TRIPS, statistic="Sum")]
        curves["Workers given up"] = [told(figures.FENCED, statistic="Sum")]
        curves["DynamoDB units"] = [
            storage.table.metric_consumed_write_capacity_units(),
            storage.table.metric_consumed_read_capacity_units(),
        ]
        curves["Messages in hands"] = [
            queue.metric_approximate_number_of_messages_not_visible() for queue in lanes.values()
        ]
        curves["Messages waiting"] = [queue.metric_approximate_number_of_messages_visible() for queue in lanes.values()]
        page = cloudwatch.Dashboard(self, "Page", dashboard_name=self._options.name)
        widgets = [cloudwatch.GraphWidget(title=title, left=list(left), width=8) for title, left in curves.items()]
        for start in range(0, len(widgets), 3):
            page.add_widgets(*widgets[start : start + 3])


def error_rate() -> cloudwatch.MathExpression:
    """The share of tries that failed, whoever was to blame; nought while hardly any is made."""
    good = {f"g{place}": which for place, which in enumerate(_GOOD)}
    bad = {f"b{place}": which for place, which in enumerate(_bad())}
    failed = " + ".join(f"FILL({name}, 0)" for name in bad)
    tried = f"{failed} + " + " + ".join(f"FILL({name}, 0)" for name in good)
    return cloudwatch.MathExpression(
        label="share of tries that failed",
        expression=f"IF({tried} >= 50, ({failed}) / ({tried}), 0)",
        period=cdk.Duration.minutes(5),
        using_metrics={
            name: told(figures.OUTCOMES, *which, statistic="Sum", minutes=5) for name, which in {**good, **bad}.items()
        },
    )


def _bad() -> Sequence[tuple[str, str]]:
    return [("failed", fault.value) for fault in Fault]
