"""Names are looked up once a minute at most, judged each time, and survive a resolver's hiccup."""

from collections.abc import Sequence

import pytest

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.scraping.egress import PUBLIC_ONLY
from scrapeyard.scraping.http import names as module
from scrapeyard.scraping.http.names import LASTS, STALE, Names, place_of


class Resolver:
    def __init__(self, *answers: Sequence[str] | Exception) -> None:
        self.answers = list(answers)

    async def __call__(self, host: str) -> Sequence[str]:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch):
    """Moves the clock of the module."""
    now = [1000.0]

    def move(seconds: float) -> None:
        now[0] += seconds

    class Time:
        @staticmethod
        def monotonic() -> float:
            return now[0]

    monkeypatch.setattr(module, "time", Time)
    return move


async def test_an_answer_lasts_a_minute(later) -> None:
    names = Names(PUBLIC_ONLY, 1.0, Resolver(["1.1.1.1"], ["8.8.8.8"]))
    assert [str(one) for one in await names.addresses("a.example", 80)] == ["1.1.1.1"]
    later(LASTS - 1)
    assert [str(one) for one in await names.addresses("a.example", 80)] == ["1.1.1.1"]
    later(2)
    assert [str(one) for one in await names.addresses("a.example", 80)] == ["8.8.8.8"]


async def test_a_name_that_turned_is_denied_when_it_is_looked_up_again(later) -> None:
    names = Names(PUBLIC_ONLY, 1.0, Resolver(["1.1.1.1"], ["169.254.169.254"]))
    await names.addresses("a.example", 80)
    later(LASTS + 1)
    with pytest.raises(VisitError) as raised:
        await names.addresses("a.example", 80)
    assert raised.value.failure is Kind.DENIED


async def test_an_old_answer_stands_in_for_a_failed_lookup_for_a_while(later) -> None:
    names = Names(PUBLIC_ONLY, 1.0, Resolver(["1.1.1.1"], OSError(), OSError()))
    await names.addresses("a.example", 80)
    later(LASTS + 1)
    assert [str(one) for one in await names.addresses("a.example", 80)] == ["1.1.1.1"]
    later(STALE)
    with pytest.raises(VisitError) as raised:
        await names.addresses("a.example", 80)
    assert raised.value.failure is Kind.DNS


async def test_a_name_without_addresses_is_dns() -> None:
    with pytest.raises(VisitError) as raised:
        await Names(PUBLIC_ONLY, 1.0, Resolver([])).addresses("a.example", 80)
    assert raised.value.failure is Kind.DNS


def test_host_and_port_of_an_address() -> None:
    assert place_of("http://a.example:8080/x/y") == ("a.example", 8080)
    assert place_of("http://a.example/") == ("a.example", 80)
    assert place_of("https://[::1]/") == ("::1", 443)
