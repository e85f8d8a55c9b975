"""The search for garbage, made seldom in processes that work.

Python looks for cycles each time some hundred objects were made, and now and then through all there are: the modules
of a process that scrapes are two hundred thousand objects that never become garbage. Leaving them out, and looking
less often, is worth a tenth of the processor's time for an item. Author code may make cycles; they are found even so.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager

_YOUNG = 20_000
"""Objects made and not yet freed before the young are searched; Python's own figure is 700."""
_MIDDLE = 20
_OLD = 50


@contextmanager
def seldom_searched() -> Generator[None]:
    """While work goes on, what was there before is left out of the search. Afterwards all is as it was."""
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()
