"""The recorder slips under the C library, which works this way on Linux alone; elsewhere these tests are not there."""

import sys

import pytest

from crash.disk import build_recorder

collect_ignore = [] if sys.platform == "linux" else ["test_ledger_power.py", "test_segment_power.py"]


@pytest.fixture(scope="session")
def recorder(tmp_path_factory):
    """The compiled recorder."""
    return build_recorder(tmp_path_factory.mktemp("recorder"))
