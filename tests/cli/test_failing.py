"""Whatever goes wrong is one sentence with what to do and an exit code; traces are for those who ask."""

import errno
import json

import pytest

from scrapeyard.cli.failing import CODE_MEANING, Code, Misused, code_of, report, sentence
from scrapeyard.model.errors import BadInput, Conflict, NotFound, StorageError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFound("no job"), Code.REFUSED),
        (Conflict("not now"), Code.REFUSED),
        (StorageError("gone"), Code.REFUSED),
        (Misused("what?"), Code.USAGE),
        (OSError(errno.ENOSPC, "No space left"), Code.REFUSED),
        (KeyboardInterrupt(), Code.INTERRUPTED),
        (BrokenPipeError(), Code.PIPE_CLOSED),
        (ZeroDivisionError("division by zero"), Code.UNFORESEEN),
    ],
)
def test_each_kind_of_error_has_its_exit_code(error: BaseException, code: Code) -> None:
    assert code_of(error) is code


@pytest.mark.parametrize("name", ["us.ca.alameda.assessment", "day.har", "parcel_id", "data/list.csv"])
def test_a_name_at_the_start_of_a_sentence_stays_as_it_is_written(name: str) -> None:
    assert sentence(NotFound(f"{name} is not there")) == f"{name} is not there."


def test_a_sentence_begins_with_a_capital_and_ends_with_a_stop() -> None:
    assert sentence(NotFound("no job of that name")) == "No job of that name."


def test_every_exit_code_is_explained() -> None:
    assert set(CODE_MEANING) == set(Code)


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/data/x"), "free some space"),
        (OSError(errno.EMFILE, "Too many open files"), "ulimit"),
        (PermissionError(errno.EACCES, "Permission denied", "/data"), "--data"),
        (StorageError("the file is locked"), "try again"),
        (ZeroDivisionError("division by zero"), "--debug"),
        (KeyboardInterrupt(), "goes on where it stopped"),
    ],
)
def test_the_sentence_says_what_to_do(error: BaseException, hint: str) -> None:
    assert hint in sentence(error)
    assert "\n" not in sentence(error)


def test_an_error_that_quotes_a_hostile_page_cannot_repaint_the_terminal() -> None:
    assert sentence(BadInput("row 3: \x1b]0;owned\x07")).isprintable()


def test_a_sentence_begins_large_and_ends_with_a_point() -> None:
    assert sentence(NotFound("there is no job 'x'")) == "There is no job 'x'."


def test_a_trace_is_shown_only_with_debug(capsys: pytest.CaptureFixture[str]) -> None:
    report(ZeroDivisionError("division by zero"), debug=False)
    assert "Traceback" not in capsys.readouterr().err
    try:
        _ = 1 // 0
    except ZeroDivisionError as error:
        report(error, debug=True)
    assert "Traceback" in capsys.readouterr().err


def test_programs_get_the_error_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    report(NotFound("there is no job"), debug=False, as_json=True)
    assert json.loads(capsys.readouterr().err) == {"error": "There is no job.", "exit_code": 1}


def test_whoever_closed_the_pipe_is_not_told_about_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(BrokenPipeError(), debug=False) is Code.PIPE_CLOSED
    assert capsys.readouterr().err == ""
