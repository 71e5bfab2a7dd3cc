"""A dict of options that one or several calls take by ``**name``: it is edited as their own arguments are."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from dlint.rewriting.edits import Edits
from dlint.rewriting.pieces.arguments import with_keyword
from dlint.rewriting.pieces.line_length import limit_of
from dlint.rewriting.pieces.room import Room
from dlint.rewriting.pieces.unused import LOOKS_AT_NAMES, is_wanted, mentions_in, only_value
from dlint.rewriting.refusal import CannotRepair
from dlint.rewriting.source import Source

Options = cst.Dict | cst.Call
_LONG = 100  # where neither a configuration nor the file itself has longer lines


def options_of(source: Source, call: cst.Call, name: str, *, by_all: bool = False) -> Options | None:
    """The dict, or call of ``dict``, that gives a call the argument ``name``; None where no dict that is
    written out does. Raises CannotRepair where others read that dict, too, unless the repair is one for
    all calls that take it (``by_all``) and nothing else is done with it."""
    for arg in call.args:
        if arg.star == "**" and isinstance(arg.value, cst.Name):
            made = _made(source, arg.value)
            if made is not None and value_in(made, name) is not None:
                if not _is_alone(source, arg.value) and not (
                    by_all and _is_only_taken(source, arg.value, name)
                ):
                    raise CannotRepair(
                        f"{name} stands in {arg.value.value}, which is used elsewhere, too: take it away "
                        "from what this call gets"
                    )
                return made
    return None


def shared_options(source: Source, call: cst.Call, name: str) -> Options | None:
    """The dict that a call takes by ``**``, and other calls of the same function, and nothing else does more
    than put something into: what all of them need may stand there. None where one has ``name`` already."""
    stars = [arg.value for arg in call.args if arg.star == "**"]
    taken = stars[0] if len(stars) == 1 else None
    assigned = _assigned(source, taken) if isinstance(taken, cst.Name) else None
    if not isinstance(taken, cst.Name) or assigned is None:
        return None
    function = source.function_of(taken)
    local = function if function and source.encloses(function, assigned) else None
    around = local or source.module
    if source.names_in(around) & LOOKS_AT_NAMES or (local is None and is_wanted(source, taken.value)):
        return None
    calls: list[cst.Call] = []
    for each in mentions_in(source, around, taken.value):
        given = source.parent(each)
        by = source.parent(given) if given is not None else None
        if isinstance(by, cst.Call) and _is_given(source, each):
            calls.append(by)
        elif not (source.encloses(assigned.targets[0], each) or _is_set_in(source, each)):
            return None
    alike = all(source.code(each.func) == source.code(call.func) for each in calls)
    if len(calls) < 2 or not alike or any(_names(each, name) for each in calls):
        return None
    made = _of_workers(assigned.value)
    if made is None or _names(as_call(made), name) or any(arg.star for arg in as_call(made).args):
        return None
    return made


def _of_workers(value: cst.BaseExpression) -> Options | None:
    """The dict that is written there; of two of which one is empty (``{...} if cuda else {}``) the other,
    where that alone asks for workers."""
    match value:
        case cst.Dict() | cst.Call(func=cst.Name(value="dict")):
            return value
        case cst.IfExp(body=body, orelse=orelse):
            sides = [each for each in map(_of_workers, (body, orelse)) if each is not None]
            full = [each for each in sides if as_call(each).args]
            if len(sides) == 2 and len(full) == 1 and value_in(full[0], "num_workers") is not None:
                return full[0]
    return None


def _names(call: cst.Call, name: str) -> bool:
    return any(arg.keyword is not None and arg.keyword.value == name for arg in call.args)


def _is_set_in(source: Source, mention: cst.Name) -> bool:
    """Whether something is put into a dict: ``options["timeout"] = 3``."""
    entry = source.parent(mention)
    return (
        isinstance(entry, cst.Subscript)
        and entry.value is mention
        and isinstance(source.parent(entry), cst.AssignTarget)
    )


def put_into(source: Source, edits: Edits, options: Options, name: str, value: cst.BaseExpression) -> None:
    """Add an entry to a dict, or to the call of ``dict`` that makes it."""
    if isinstance(options, cst.Call):
        room = Room.of(source, options)
        edits.change(options, lambda node: with_keyword(node, name, value, room), key=name)
        return
    edits.change(options, as_options(lambda node: with_keyword(node, name, value)), key=name)
    break_long(source, edits, options, len(f", '{name}': {source.code(value)}"))


def value_in(options: Options, name: str) -> cst.BaseExpression | None:
    """What stands under a name."""
    args = as_call(options).args
    return next((arg.value for arg in args if arg.keyword and arg.keyword.value == name), None)


def as_call(options: Options) -> cst.Call:
    """A dict as the call of ``dict`` that would give it; what has no name that is written out is ``**``."""
    if isinstance(options, cst.Call):
        return options
    args = [
        cst.Arg(
            each.value,
            _name_of(each),
            star="" if _name_of(each) else "**",
            comma=each.comma,
        )
        for each in options.elements
    ]
    if args:
        last = args[-1]
        end = options.rbrace.whitespace_before
        if isinstance(last.comma, cst.Comma):
            args[-1] = last.with_changes(comma=last.comma.with_changes(whitespace_after=end))
        else:
            args[-1] = last.with_changes(whitespace_after_arg=end)
    return cst.Call(cst.Name("dict"), args, whitespace_before_args=options.lbrace.whitespace_after)


def as_options(change: Callable[[cst.Call], cst.Call]) -> Callable[[cst.Dict], cst.Dict]:
    """A change of a call's arguments as one of a dict's entries."""

    def changed(node: cst.Dict) -> cst.Dict:
        call = change(as_call(node))
        if not call.args:
            return cst.Dict([])
        by_value = {id(each.value): each for each in node.elements}
        keys = [each.key for each in node.elements if isinstance(each, cst.DictElement)]
        quote = next((each.quote for each in keys if isinstance(each, cst.SimpleString)), '"')
        elements = [
            (by_value.get(id(arg.value)) or _entry(arg, quote)).with_changes(comma=arg.comma)
            for arg in call.args
        ]
        last = call.args[-1]
        end = last.whitespace_after_arg
        if isinstance(last.comma, cst.Comma):
            end = last.comma.whitespace_after
            comma = last.comma.with_changes(whitespace_after=cst.SimpleWhitespace(""))
            elements[-1] = elements[-1].with_changes(comma=comma)
        return node.with_changes(
            elements=elements,
            lbrace=node.lbrace.with_changes(whitespace_after=call.whitespace_before_args),
            rbrace=node.rbrace.with_changes(whitespace_before=end),
        )

    return changed


def _entry(arg: cst.Arg, quote: str) -> cst.DictElement:
    assert arg.keyword is not None
    return cst.DictElement(cst.SimpleString(f"{quote}{arg.keyword.value}{quote}"), arg.value)


def break_long(source: Source, edits: Edits, options: cst.Dict, more: int) -> None:
    """Put each entry of a dict that stands in one line on a line of its own, where that line gets so much
    longer that it would be too long."""
    (first, _), (last, _) = source.range(options)
    line = source.module.code.splitlines()[first - 1]
    if first == last and len(line.expandtabs(4)) + more > limit_of(source, _LONG).columns:
        edits.change(options, lambda node: _one_a_line(node, source.module.default_indent), "one a line")


def _one_a_line(options: cst.Dict, step: str) -> cst.Dict:
    inside = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(step))
    *others, last = options.elements
    rows = [each.with_changes(comma=cst.Comma(whitespace_after=inside)) for each in others]
    return options.with_changes(
        elements=[*rows, last.with_changes(comma=cst.Comma())],
        lbrace=options.lbrace.with_changes(whitespace_after=inside),
        rbrace=options.rbrace.with_changes(whitespace_before=cst.ParenthesizedWhitespace(indent=True)),
    )


def _name_of(element: cst.BaseDictElement) -> cst.Name | None:
    if isinstance(element, cst.DictElement) and isinstance(element.key, cst.SimpleString):
        value = element.key.evaluated_value
        if isinstance(value, str) and value.isidentifier():
            return cst.Name(value)
    return None


def _made(source: Source, name: cst.Name) -> Options | None:
    """The dict that a name stands for, in the function or at the top of the file."""
    assigned = _assigned(source, name)
    match assigned.value if assigned is not None else None:
        case cst.Dict() | cst.Call(func=cst.Name(value="dict")) as made:
            return made
    return None


def _assigned(source: Source, name: cst.Name) -> cst.Assign | None:
    function = source.function_of(name)
    if isinstance(function, cst.FunctionDef):
        found = only_value(source, function, name.value)
        if found is not None:
            return found
    top = [
        each
        for line in source.module.body
        if isinstance(line, cst.SimpleStatementLine)
        for each in line.body
        if isinstance(each, cst.Assign)
        and len(each.targets) == 1
        and isinstance(each.targets[0].target, cst.Name)
        and each.targets[0].target.value == name.value
    ]
    return top[0] if len(top) == 1 else None


def _is_only_taken(source: Source, taken: cst.Name, name: str) -> bool:
    """Whether all that a function does with a dict of its own is to give it to calls, or to take something
    out of it but what it has under ``name``."""
    function, assigned = source.function_of(taken), _assigned(source, taken)
    if (
        not isinstance(function, cst.FunctionDef)
        or assigned is None
        or not source.encloses(function, assigned)
    ):
        return False
    if source.names_in(function) & LOOKS_AT_NAMES:
        return False
    return all(
        source.encloses(assigned, each) or _is_given(source, each) or _is_taken_from(source, each, name)
        for each in mentions_in(source, function, taken.value)
    )


def _is_given(source: Source, mention: cst.Name) -> bool:
    parent = source.parent(mention)
    return isinstance(parent, cst.Arg) and parent.star == "**"


def _is_taken_from(source: Source, mention: cst.Name, name: str) -> bool:
    """Whether a call takes something out of a dict that has another name: ``options.pop("timeout")``."""
    held = source.parent(mention)
    call = source.parent(held) if held is not None else None
    match held, call:
        case cst.Attribute(attr=cst.Name(value="pop")), cst.Call(
            func=func, args=[cst.Arg(value=cst.SimpleString() as key), *_]
        ):
            return func is held and key.evaluated_value != name
    return False


def _is_alone(source: Source, name: cst.Name) -> bool:
    """Whether nothing but this place reads the dict, or sets another under its name."""
    function = source.function_of(name)
    assigned = _assigned(source, name)
    local = function if assigned is not None and function and source.encloses(function, assigned) else None
    around = local or source.module
    if source.names_in(around) & LOOKS_AT_NAMES:
        return False
    mentions = list(mentions_in(source, around, name.value))
    if len(mentions) != 2:  # where it is made, and here
        return False
    return local is not None or not is_wanted(source, name.value)
