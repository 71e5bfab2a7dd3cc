"""dlint in pytest: the marker ``dlint_loader`` and the fixture ``check_loader``.

Every run of pytest loads this where dlint is installed (``-p no:dlint`` leaves it out): nothing is imported
until a test asks for it.
"""

from __future__ import annotations

import functools
import inspect
import unittest
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dlint.trial.judging import Verdict

_MARKER = "dlint_loader"


def pytest_configure(config: pytest.Config) -> None:
    """Say what the marker means."""
    config.addinivalue_line(
        "markers",
        f"{_MARKER}(workers=(0, 2), start_methods=None, items=32, ignore=(), level='note', still=15.0): "
        "the DataLoader or dataset that the test returns is read without workers and with some, and fails "
        "the test where dlint sees something wrong with it",
    )


@pytest.fixture(scope="session")
def check_loader() -> Callable[..., Verdict]:
    """dlint.testing.check_loader: reads a DataLoader, or what gives one, and fails where it is wrong."""
    from dlint.testing import check_loader

    return check_loader


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail where what a test returns never comes here: it would seem to be checked."""
    if item.get_closest_marker(_MARKER) is None:
        return
    function = inspect.unwrap(getattr(item, "obj", None) or _nothing)
    if not isinstance(item, pytest.Function) or issubclass(item.cls or object, unittest.TestCase):
        why = "is for functions, and methods of classes that are no unittest.TestCase"
    elif inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        why = "is for functions that are not async"
    elif inspect.isgeneratorfunction(function):
        why = "is for functions that return a loader, and do not yield"
    else:
        return
    pytest.fail(f"{_MARKER} {why}", pytrace=False)


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, None]:
    """Check what a marked test returns; to pytest it returns nothing."""
    marker = pyfuncitem.get_closest_marker(_MARKER)
    if marker is None:
        yield
        return
    function = pyfuncitem.obj
    pyfuncitem.obj = _checked(function, marker)
    try:
        yield
    finally:
        pyfuncitem.obj = function


def _checked(function: Callable[..., Any], marker: pytest.Mark) -> Callable[..., None]:
    @functools.wraps(function)
    def test(*args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        from dlint.testing import LoaderError
        from dlint.testing.checking import NotALoader, check

        said: str | None = None
        try:
            if marker.args or not marker.kwargs.keys() <= _OPTIONS:
                said = f"{_MARKER} takes these, by name: {', '.join(sorted(_OPTIONS))}"
            else:
                check(functools.partial(function, *args, **kwargs), once=True, **marker.kwargs)
        except LoaderError as error:
            said = str(error)
        except NotALoader as error:
            said = f"{_MARKER}: {function.__name__} returns {error}"
        if said is None:
            return
        __tracebackhide__ = False  # of a traceback that is hidden as a whole pytest says so
        pytest.fail(said, pytrace=False)

    return test


_OPTIONS = {"workers", "start_methods", "items", "ignore", "level", "still"}


def _nothing() -> None:
    """Stands for the function of what has none."""
