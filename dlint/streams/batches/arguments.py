"""What a call gives to the parameters of a function, as it is written there, or made up."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from dlint.source.statements import dotted, head_name, parameters
from dlint.streams.memory.loops import called_on
from dlint.values.functions import passed
from dlint.values.values import Function, Key

# An expression that is made up, the same each time that it is asked for.
Once = Callable[[Key, Callable[[], ast.expr]], ast.expr]


def is_decorated(function: ast.FunctionDef) -> bool:
    """Whether something else may be called in a function's place: ``no_grad`` calls it."""
    return any(head_name(each) not in ("no_grad", "inference_mode") for each in function.decorator_list)


def given_to(function: Function, node: ast.FunctionDef, call: ast.Call, once: Once) -> dict[str, ast.expr]:
    """What a call gives to a function's parameters; the object to that of its method, and to those for all
    others a tuple or a dict. What it unpacks is given one by one (``*args``, ``**batch``)."""
    given = passed(function, call)
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    names = names[function.receiver is not None :]
    positional: list[ast.expr] = []
    for each in call.args:
        match each:
            case ast.Starred(value=ast.Name() as spread) if each is call.args[-1]:
                for at in range(max(len(names) - len(positional), 0)):
                    part = ast.Subscript(spread, ast.Constant(at), ast.Load())
                    positional.append(once((given_to, id(each), at), partial(ast.copy_location, part, each)))
            case ast.Starred():
                break
            case _:
                positional.append(each)
    given.update(zip(names, positional, strict=False))
    named_ones = [each.arg for each in (*node.args.args, *node.args.kwonlyargs)]
    for keyword in call.keywords:
        if keyword.arg is None and isinstance(keyword.value, ast.Name):
            for name in named_ones[function.receiver is not None :]:
                if name not in given:
                    part = ast.Subscript(keyword.value, ast.Constant(name), ast.Load())
                    mark = (given_to, id(keyword), name)
                    given[name] = once(mark, partial(ast.copy_location, part, keyword.value))
    if node.args.vararg is not None:
        given[node.args.vararg.arg] = ast.Tuple(positional[len(names) :], ast.Load())
    if node.args.kwarg is not None:
        known = {each.arg for each in parameters(node)}
        others = [each for each in call.keywords if each.arg is not None and each.arg not in known]
        made = ast.Dict([ast.Constant(each.arg) for each in others], [each.value for each in others])
        given = {name: each for name, each in given.items() if name in known}
        given[node.args.kwarg.arg] = made
    of = called_on(call.func)
    by_call = node.name == "__call__" and getattr(call.func, "attr", "") != "__call__"
    if by_call:
        of = call.func
    held = of.value if isinstance(of, ast.Subscript) else of  # one of those that a dict holds
    if function.receiver is not None and (by_call or of is not call.func) and dotted(held):
        given.update((each.arg, of) for each in parameters(node)[:1])
    return given
