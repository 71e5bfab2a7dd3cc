"""Which releases a requirement allows, as pip, poetry and conda write it: ``>=1.6,<2``."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from dlint.regex import regex

# Nobody writes longer bounds; what is longer counts as unknown.
_LONGEST = 1_000

RELEASE: Final = r"[0-9]{1,9}(?:\.[0-9]{1,9}){0,9}"
_RELEASE = regex(RELEASE)
_WHEEL = regex(r"(?:^|[/\s])torch-(?P<release>[0-9]+(?:\.[0-9]+)*)")
_BOUND = regex(r"(?P<operator>===|==|~=|>=|<=|!=|[=<>^~]|)\s?v?(?P<release>[0-9]+(?:\.[0-9]+)*)")


class Range(NamedTuple):
    """Releases from ``oldest`` on, up to but not with ``below``.

    ``oldest`` is None where there is no lower end, ``below`` where there is no upper one. What names no
    release at all has both ends open, and is not ``limited``; what cannot be understood is.
    """

    oldest: str | None
    below: str | None
    limited: bool = True


_ANY = Range(None, None, limited=False)
_NOT_UNDERSTOOD = Range(None, None)


def is_release(text: str) -> bool:
    """Whether a text is a release such as "2.1.0", with numbers that are no longer than such numbers are."""
    return _RELEASE.fullmatch(text) is not None


def numbers(release: str) -> tuple[int, ...]:
    """A release to be compared with others; 1.9.0 is 1.9."""
    found = [int(part) for part in release.split(".")]
    while len(found) > 1 and not found[-1]:
        found.pop()
    return tuple(found)


def wheel_named(text: str) -> bool:
    """Whether a text has the name of a wheel of torch in it."""
    return _WHEEL.search(text) is not None


def allowed(bounds: str) -> Range:
    """The releases within the bounds that stand behind a name."""
    bounds = " ".join(re.split(r"[;#]", bounds, maxsplit=1)[0].split())
    if len(bounds) > _LONGEST:
        return _NOT_UNDERSTOOD
    wheel = _WHEEL.search(bounds)
    if wheel:
        return _one("==", wheel["release"]) if is_release(wheel["release"]) else _NOT_UNDERSTOOD
    bounds = bounds.strip(" ()")
    if bounds.startswith("@"):  # an address that names no release
        return _NOT_UNDERSTOOD
    return together([_all(each) for each in re.split(r"\|\|?", bounds)])


def together(ranges: list[Range]) -> Range:
    """What several ranges allow, each of which counts. What names no release allows every later one, and
    says nothing of old ones."""
    limited = [each for each in ranges if each.limited]
    if not limited:
        return _ANY
    lower = [each.oldest for each in limited]
    upper = [each.below for each in ranges]
    return Range(
        None if None in lower else min((each for each in lower if each is not None), key=numbers),
        None if None in upper else max((each for each in upper if each is not None), key=numbers),
    )


def _all(bounds: str) -> Range:
    """The releases within bounds that all hold."""
    found = _ANY
    for part in re.split(r",|\s(?=[=<>!~^])", bounds):
        bound = _BOUND.match(part.strip())
        if bound is None or bound["operator"] == "!=":
            continue
        if not is_release(bound["release"]):
            return _NOT_UNDERSTOOD
        found = _both(found, _one(bound["operator"], bound["release"]))
    return found


def _both(first: Range, second: Range) -> Range:
    lower = [each for each in (first.oldest, second.oldest) if each is not None]
    upper = [each for each in (first.below, second.below) if each is not None]
    return Range(max(lower, key=numbers, default=None), min(upper, key=numbers, default=None))


def _one(operator: str, release: str) -> Range:
    """The releases that one operator allows; ``==1.8`` counts as ``==1.8.*``."""
    if operator == "<":
        return Range(None, release)
    if operator == "<=":
        return Range(None, _after(release))
    if operator in (">", ">="):
        return Range(release, None)
    parts = release.split(".")
    if operator == "~=":
        return Range(release, _after(".".join(parts[:-1])) if len(parts) > 1 else None)
    if operator == "~":
        return Range(release, _after(".".join(parts[:2])))
    if operator == "^":
        named = next((at for at, part in enumerate(parts) if int(part)), len(parts) - 1)
        return Range(release, _after(".".join(parts[: named + 1])))
    return Range(release, _after(release))


def _after(release: str) -> str:
    """The first release that is no longer one of those that begin like this."""
    *head, last = release.split(".")
    return ".".join([*head, str(int(last) + 1)])
