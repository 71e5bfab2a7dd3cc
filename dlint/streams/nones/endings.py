"""How control can come to the end of a function: straight, past an exception, or when attempts run out."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Literal

from dlint.source.statements import dotted, last_name, own_names, statements_in

# "straight": on every way; "except": after an exception that was caught; "attempts": after a loop that tried
# again and again; "perhaps": on a way that may never be taken.
Ending = Literal["straight", "except", "attempts", "perhaps"]
# What is said of a function that ends so without a return, for an item of those that it reads.
ENDED = {
    "except": "ends without a return after an exception that it catches",
    "attempts": "ends without a return when its attempts run out",
}
_STOPS = frozenset({"KeyboardInterrupt", "SystemExit", "GeneratorExit"})
_SUPPRESS = frozenset({"contextlib.suppress", "suppress"})
NoReturn = Callable[[ast.stmt], bool]


def endings(block: list[ast.stmt], never_returns: NoReturn, *, followed: bool = False) -> frozenset[Ending]:
    """The ways in which control may leave a block at its end; none where it surely does not.

    ``never_returns`` tells a statement after which control does not go on (``sys.exit()``). ``followed`` says
    that more comes after the block: `if cached: return ...` has its own end, and what follows was written to
    be reached.
    """
    found: frozenset[Ending] = frozenset({"straight"})
    for index, statement in enumerate(block):
        after = _of_statement(statement, never_returns, followed or index + 1 < len(block))
        found = frozenset(_joined(a, b) for a in found for b in after)
        if not found:
            break
    return found


def _joined(first: Ending, second: Ending) -> Ending:
    if "perhaps" in (first, second):
        return "perhaps"
    return second if first == "straight" else first


def _of_statement(statement: ast.stmt, never_returns: NoReturn, followed: bool) -> frozenset[Ending]:
    match statement:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return frozenset()
        case ast.Assert(test=ast.Constant(value=value)) if not value:
            return frozenset()
        case ast.If():
            ways = [
                endings(each, never_returns, followed=followed) for each in (statement.body, statement.orelse)
            ]
            if all(ways) or followed:
                return ways[0] | ways[1]
            return frozenset({"perhaps"}) if any(ways) else frozenset()
        case ast.For() | ast.While():
            return _of_loop(statement, never_returns)
        case ast.With():
            found = endings(statement.body, never_returns, followed=followed)
            if any(suppresses(item.context_expr) for item in statement.items):
                found |= {"except"}
            return found
        case ast.Match():
            return frozenset({"perhaps"}) if _returns(statement) else frozenset({"straight"})
        case _ if hasattr(statement, "handlers"):
            return _of_attempt(statement, never_returns)
    return frozenset() if never_returns(statement) else frozenset({"straight"})


def _of_loop(loop: ast.For | ast.While, never_returns: NoReturn) -> frozenset[Ending]:
    if _is_endless(loop):
        breaks = any(isinstance(inner, ast.Break) for inner in statements_in(loop.body))
        return frozenset({"perhaps"}) if breaks else frozenset()
    after = endings(loop.orelse, never_returns)
    if not after:
        return after
    if not _returns(loop):
        return after
    if any(isinstance(inner, ast.Break) for inner in statements_in(loop.body)):
        return frozenset({"perhaps"})
    returns_at_last = isinstance(loop.body[-1], ast.Return)
    tries = any(_tries_to_return(statement, returns_at_last, never_returns) for statement in loop.body)
    # `if attempt == last: raise` may well be true in the last round.
    gives_up = any(
        isinstance(inner, ast.Raise)
        for statement in loop.body
        if not hasattr(statement, "handlers")
        for inner in statements_in([statement])
    )
    return frozenset({"attempts" if tries and not gives_up else "perhaps"})


def _is_endless(loop: ast.For | ast.While) -> bool:
    if isinstance(loop, ast.While):
        if isinstance(loop.test, ast.Constant):
            return bool(loop.test.value)
        asked = loop.test.operand if isinstance(loop.test, ast.UnaryOp) else loop.test
        # A flag that nothing in the loop changes.
        return isinstance(asked, ast.Name) and not any(
            asked.id in own_names(inner) for inner in statements_in(loop.body)
        )
    call = loop.iter
    if isinstance(call, ast.Call) and (dotted(call.func) or "") == "enumerate" and call.args:
        call = call.args[0]
    last = last_name(call.func) if isinstance(call, ast.Call) else ""
    return last in ("count", "cycle") or (last == "repeat" and len(call.args) == 1)  # type: ignore[attr-defined]


def _tries_to_return(statement: ast.stmt, returns_at_last: bool, never_returns: NoReturn) -> bool:
    """Whether a statement of a loop is a ``try`` that returns when all goes well, and always goes on when
    not. Where the loop ``returns_at_last``, that may be left to the loop, with a ``continue`` when not."""
    if not hasattr(statement, "handlers"):
        return False
    body: list[ast.stmt] = [*statement.body, *statement.orelse]  # type: ignore[attr-defined]
    handlers: list[ast.ExceptHandler] = statement.handlers
    returns = isinstance(body[-1], ast.Return)
    return (returns or returns_at_last) and any(
        (returns or isinstance(handler.body[-1], ast.Continue))
        and not any(
            isinstance(inner, ast.Return | ast.Raise | ast.Break) or never_returns(inner)
            for inner in statements_in(handler.body)
        )
        for handler in handlers
    )


def _of_attempt(statement: ast.stmt, never_returns: NoReturn) -> frozenset[Ending]:
    final: list[ast.stmt] = statement.finalbody  # type: ignore[attr-defined]
    if not endings(final, never_returns):
        return frozenset()
    body: list[ast.stmt] = [*statement.body, *statement.orelse]  # type: ignore[attr-defined]
    found = endings(body, never_returns)
    for handler in statement.handlers:  # type: ignore[attr-defined]
        if isinstance(handler.type, ast.Name) and handler.type.id in _STOPS:
            continue
        found |= {_joined(ending, "except") for ending in endings(handler.body, never_returns)}
    return found


def suppresses(manager: ast.expr) -> bool:
    """Whether a ``with`` goes on behind its block where that has failed: ``contextlib.suppress(OSError)``."""
    if not isinstance(manager, ast.Call) or dotted(manager.func) not in _SUPPRESS:
        return False
    return any((dotted(each) or "") not in _STOPS for each in manager.args)


def _returns(statement: ast.stmt) -> bool:
    return any(isinstance(inner, ast.Return) for inner in statements_in([statement]))
