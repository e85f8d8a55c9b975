"""What a person is told when something cannot be done: one sentence that says what to do, and an exit code for scripts.

Tracebacks are for those who ask with `--debug`; everybody else gets a sentence, also for errors that nobody foresaw.
"""

import errno
import json
import os
import sys
import traceback
from enum import IntEnum

from scrapeyard.cli.wording import plain
from scrapeyard.model.errors import LeaseLost, Refused, ScrapeyardError, StorageError
from scrapeyard.scraping.secrets import Secrets

_LONGEST = 2_000


class Code(IntEnum):
    """Exit codes; stable, and listed in `scrapeyard --help`."""

    FINE = 0
    REFUSED = 1
    USAGE = 2
    FAILED_ITEMS = 3
    CANCELLED = 4
    UNFORESEEN = 70
    INTERRUPTED = 130
    PIPE_CLOSED = 141
    TERMINATED = 143


CODE_MEANING: dict[Code, str] = {
    Code.FINE: "Done as asked.",
    Code.REFUSED: "Refused or failed; the sentence on standard error says what to do.",
    Code.USAGE: "Wrong options or arguments.",
    Code.FAILED_ITEMS: "The job ended, but some of its items failed, are uncertain or could not be read.",
    Code.CANCELLED: "The job was cancelled.",
    Code.UNFORESEEN: "An error that nobody foresaw: a bug of Scrapeyard.",
    Code.INTERRUPTED: "Stopped by Ctrl-C; the same command goes on where it stopped.",
    Code.PIPE_CLOSED: "Whatever read the output went away, as `head` does.",
    Code.TERMINATED: "Stopped by SIGTERM; the same command goes on where it stopped.",
}


class Misused(Refused):
    """Options or arguments that make no sense together."""


def code_of(error: BaseException) -> Code:
    """The exit code that stands for an error."""
    match error:
        case Misused():
            return Code.USAGE
        case KeyboardInterrupt():
            return Code.INTERRUPTED
        case BrokenPipeError():
            return Code.PIPE_CLOSED
        case ScrapeyardError() | OSError():
            return Code.REFUSED
        case _:
            return Code.UNFORESEEN


def sentence(error: BaseException) -> str:
    """What to tell a person about an error."""
    match error:
        case StorageError():
            hint = "" if error.final else "; try again, and run `scrapeyard doctor` if it stays"
            return _ended(f"The storage failed: {_said(error)}{hint}")
        case LeaseLost():
            return _ended(f"This worker was given up by the others: {_said(error)}; start it again")
        case ScrapeyardError():
            return _ended(_said(error))
        case KeyboardInterrupt():
            return "Stopped. The same command goes on where it stopped."
        case OSError():
            return _ended(_of_system(error))
        case _:
            return (
                f"Something went wrong that nobody foresaw ({type(error).__name__}: {_said(error)}). "
                "Run it again with --debug to see where, and please report it."
            )


def report(error: BaseException, *, debug: bool, as_json: bool = False) -> Code:
    """Tell the person, on standard error, and give the exit code."""
    code = code_of(error)
    if code is Code.PIPE_CLOSED:
        return code
    redaction = Secrets(None, os.environ).redaction
    if debug:
        sys.stderr.write(redaction.text("".join(traceback.format_exception(error))))
    told = {"error": redaction.text(sentence(error)), "exit_code": int(code)}
    sys.stderr.write(f"{json.dumps(told) if as_json else told['error']}\n")
    return code


def _said(error: BaseException) -> str:
    return plain(str(error), _LONGEST) or type(error).__name__


def _of_system(error: OSError) -> str:
    where = f" ({plain(str(error.filename))})" if error.filename else ""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return f"The disk is full{where}; free some space or choose another place with --data"
        case errno.EMFILE | errno.ENFILE:
            return "Too many files are open; raise the limit with `ulimit -n 65536` and start again"
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return f"Access is denied{where}; check who owns it, or choose another place with --data"
        case errno.ENOENT:
            return f"There is no such file or folder{where}; check the path"
        case _:
            return f"The system refused{where}: {error.strerror or _said(error)}"


def _ended(text: str) -> str:
    """As a sentence; a name or a path at its start stays as it is written."""
    if text.partition(" ")[0].rstrip(",;:").isalpha():
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
