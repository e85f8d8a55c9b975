"""One yard for each test, cleared away at its end."""

from collections.abc import AsyncIterator

import pytest

from dispatcher.yard import Yard


@pytest.fixture
async def yard() -> AsyncIterator[Yard]:
    yard = Yard()
    yield yard
    await yard.close()
