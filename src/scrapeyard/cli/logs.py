"""Log lines on standard error, for people or for machines; never among the results, never across the live view."""

import logging
import sys
from typing import TYPE_CHECKING, Any, cast

import structlog

from scrapeyard.model.secret import Redaction

if TYPE_CHECKING:
    from scrapeyard.settings import LogSettings


class _Beside:
    """Standard error as it is at the moment of writing: a live view takes it over to stay in one piece. No secret
    gets through."""

    def __init__(self, redaction: Redaction) -> None:
        self._redaction = redaction

    def write(self, text: str) -> int:
        return sys.stderr.write(self._redaction.text(text))

    def flush(self) -> None:
        sys.stderr.flush()


class _Bridge(logging.Handler):
    """What libraries log goes the same way, so that it has the same form and lets no secret through."""

    def emit(self, record: logging.LogRecord) -> None:
        log = structlog.get_logger(record.name)
        log.log(record.levelno, record.getMessage(), logger=record.name, exc_info=record.exc_info)


def configure(settings: "LogSettings", redaction: Redaction, *, quiet: bool) -> None:
    """Set the log up for this process. A command that shows its progress itself is `quiet`: it logs trouble only."""
    levels = logging.getLevelNamesMapping()
    level = max(levels[settings.level.upper()], logging.WARNING if quiet else logging.NOTSET)
    form: Any = (
        structlog.processors.JSONRenderer()
        if settings.format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0 if quiet else 30)
    )
    beside = quiet and settings.format != "json"  # a line among what a person reads, of whom the date is known
    time = structlog.processors.TimeStamper(fmt="%H:%M:%S" if beside else "iso", utc=not beside)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            time,
            structlog.processors.format_exc_info,
            form,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(cast(Any, _Beside(redaction))),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    for handler in [handler for handler in root.handlers if isinstance(handler, _Bridge)]:
        root.removeHandler(handler)
    root.addHandler(_Bridge(max(level, logging.WARNING)))  # of libraries only trouble is worth a line
