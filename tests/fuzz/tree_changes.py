"""Changes of a program's syntax tree: statements and expressions go, come twice, move, and are wrapped."""

from __future__ import annotations

import ast
from collections.abc import Callable
from copy import deepcopy

from tests.fuzz.tree_places import Around, Body, bodies, get, place, put, slot_of, slots, small, taken

Change = Callable[[ast.Module, Around], None]


# Statements ------------------------------------------------------------------------------------------


def delete_statement(tree: ast.Module, around: Around) -> None:
    body = around.random.choice(bodies(tree))
    taken(body, place(body, around.random))


def duplicate_statement(tree: ast.Module, around: Around) -> None:
    body = around.random.choice(bodies(tree))
    if small(tree):
        body.insert(place(body, around.random), deepcopy(around.random.choice(body)))


def swap_statements(tree: ast.Module, around: Around) -> None:
    body = around.random.choice(bodies(tree))
    first, second = place(body, around.random), place(body, around.random)
    body[first], body[second] = body[second], body[first]


def move_statement(tree: ast.Module, around: Around) -> None:
    """A statement goes from one function, class or branch to another."""
    source = around.random.choice(bodies(tree))
    moved = taken(source, place(source, around.random))
    target = around.random.choice(bodies(tree))
    target.insert(around.random.randint(0, len(target)), moved)


def graft_statement(tree: ast.Module, around: Around) -> None:
    """A statement of another program comes into this one."""
    if small(tree):
        source = around.random.choice(bodies(ast.parse(around.other)))
        target = around.random.choice(bodies(tree))
        target.insert(around.random.randint(0, len(target)), around.random.choice(source))


def wrap_statement(tree: ast.Module, around: Around) -> None:
    random = around.random
    body = random.choice(bodies(tree))
    index = place(body, random)
    test = deepcopy(get(slot_of(tree, random) or (ast.Expr(ast.Constant(True)), "value")))
    inner: Body = [body[index]]
    name = random.choice(_names(tree) or ["f"])
    kind = random.randrange(11)
    wrapped: ast.stmt
    if kind == 0:
        wrapped = ast.If(test, inner, [])
    elif kind == 1:
        wrapped = ast.If(test, [ast.Pass()], inner)
    elif kind == 2:
        wrapped = ast.For(ast.Name(name, ast.Store()), test, inner, [])
    elif kind == 3:
        wrapped = ast.While(test, inner, [ast.Break()] if random.random() < 0.2 else [])
    elif kind == 4:
        wrapped = ast.Try(inner, [ast.ExceptHandler(None, None, [ast.Pass()])], [], [])
    elif kind == 5:
        wrapped = ast.Try([ast.Expr(test)], [], [], inner)
    elif kind == 6:
        wrapped = ast.With([ast.withitem(test, ast.Name(name, ast.Store()))], inner)
    elif kind == 7:
        wrapped = _function(name, inner)
    elif kind == 8:
        wrapped = ast.ClassDef(name=name, bases=[], keywords=[], body=inner, decorator_list=[])
    elif kind == 9:
        wrapped = ast.Match(test, [ast.match_case(ast.MatchAs(), None, inner)])
    else:
        wrapped = ast.AsyncWith([ast.withitem(test, None)], inner)
    body[index] = wrapped


def _function(name: str, body: Body) -> ast.FunctionDef:
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.FunctionDef(name=name, args=arguments, body=body, decorator_list=[])


def nest_definition(tree: ast.Module, around: Around) -> None:
    """A class or function moves into another one; its own insides are no place to go."""
    definitions = (ast.ClassDef, ast.FunctionDef)
    sources = [body for body in bodies(tree) if any(isinstance(each, definitions) for each in body)]
    if not sources:
        return
    body = around.random.choice(sources)
    index = around.random.choice([i for i, each in enumerate(body) if isinstance(each, definitions)])
    moved = taken(body, index)
    targets = [node.body for node in ast.walk(tree) if isinstance(node, definitions)]
    target = around.random.choice(targets) if targets else tree.body
    target.insert(around.random.randint(0, len(target)), moved)


def unwrap(tree: ast.Module, around: Around) -> None:
    """What stands in a block stands where the block stood."""
    sources = [body for body in bodies(tree) if any(hasattr(each, "body") for each in body)]
    if sources:
        body = around.random.choice(sources)
        index = around.random.choice([i for i, each in enumerate(body) if hasattr(each, "body")])
        block = body[index]
        assert hasattr(block, "body")
        body[index : index + 1] = block.body


def decorate(tree: ast.Module, around: Around) -> None:
    definitions = [node for node in ast.walk(tree) if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    slot = slot_of(tree, around.random)
    if definitions and slot:
        around.random.choice(definitions).decorator_list.append(deepcopy(get(slot)))


def change_bases(tree: ast.Module, around: Around) -> None:
    """A class gets another base, its own name among the possible ones, or loses one."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    if not classes:
        return
    changed = around.random.choice(classes)
    if changed.bases and around.random.random() < 0.3:
        changed.bases.pop()
    else:
        base = ast.Name(around.random.choice(_names(tree)), ast.Load())
        changed.bases.insert(around.random.randint(0, len(changed.bases)), base)


def make_async(tree: ast.Module, around: Around) -> None:
    """The function becomes a coroutine, a generator, or returns early."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    slot = slot_of(tree, around.random)
    if not functions or slot is None:
        return
    function = around.random.choice(functions)
    value = deepcopy(get(slot))
    added: ast.stmt = around.random.choice(
        [
            ast.Expr(ast.Yield(value)),
            ast.Expr(ast.YieldFrom(value)),
            ast.Expr(ast.Await(value)),
            ast.Return(value),
        ]
    )
    function.body.insert(around.random.randint(0, len(function.body)), added)


def import_beside(tree: ast.Module, around: Around) -> None:
    """The program imports one that stands beside it, which may import this one."""
    module = around.random.choice(around.modules or ("m_00",))
    names = _names(tree)
    kind = around.random.randrange(4)
    added: ast.stmt
    if kind == 0:
        added = ast.ImportFrom(module, [ast.alias("*")], 0)
    elif kind == 1:
        added = ast.ImportFrom(
            module, [ast.alias(around.random.choice(names))] if names else [ast.alias("*")], 0
        )
    elif kind == 2:
        added = ast.ImportFrom(None, [ast.alias(module)], 1)
    else:
        added = ast.Import([ast.alias(module, around.random.choice(names) if names else None)])
    body = tree.body if around.random.random() < 0.7 else around.random.choice(bodies(tree))
    body.insert(around.random.randint(0, len(body)), added)


# Names and expressions -------------------------------------------------------------------------------


def _names(tree: ast.AST) -> list[str]:
    """The names of a program, in the order in which they come; not those of attributes."""
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found[node.id] = None
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = None
        elif isinstance(node, ast.arg):
            found[node.arg] = None
    return list(found)


def rename_everywhere(tree: ast.Module, around: Around) -> None:
    """Two things of the program have one name from now on."""
    names = _names(tree)
    if len(names) < 2:
        return
    old, new = around.random.sample(names, 2)
    for node in ast.walk(tree):
        for field in ("id", "name", "arg", "asname"):
            if getattr(node, field, None) == old:
                setattr(node, field, new)


def rename_once(tree: ast.Module, around: Around) -> None:
    named = [node for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Attribute, ast.keyword))]
    names = [*_names(tree), *(node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))]
    if not named:
        return
    node = around.random.choice(named)
    name = around.random.choice(names or ["x"])
    if isinstance(node, ast.Name):
        node.id = name
    elif isinstance(node, ast.Attribute):
        node.attr = name
    else:
        node.arg = around.random.choice([name, None])


def replace_expression(tree: ast.Module, around: Around) -> None:
    """An expression gives way to another one of the same program, or of another."""
    slot = slot_of(tree, around.random)
    source = tree if around.random.random() < 0.6 else ast.parse(around.other)
    given = slot_of(source, around.random)
    if slot and given and small(tree):
        put(slot, deepcopy(get(given)))


_CONSTANTS = (
    None, True, False, ..., 0, 1, -1, 2, 10**30, 2**31, -(2**63), 0.0, 1.5, 1e308, 2j, "", "x", "spawn", "é☃", b"\0", "%s",
)  # fmt: skip


def change_constant(tree: ast.Module, around: Around) -> None:
    constants = [
        slot for slot in slots(tree) if isinstance(get(slot), (ast.Constant, ast.Name))
    ]  # fmt: skip
    if constants:
        value = around.random.choice(_CONSTANTS)
        put(around.random.choice(constants), ast.Constant(value))


def wrap_expression(tree: ast.Module, around: Around) -> None:
    random = around.random
    slot, other = slot_of(tree, random), slot_of(tree, random)
    if slot is None or other is None or not small(tree):
        return
    inner, beside = deepcopy(get(slot)), deepcopy(get(other))
    name = random.choice(_names(tree) or ["x"])
    no_arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    for_each = ast.comprehension(ast.Name(name, ast.Store()), beside, [], 0)
    wrapped: list[ast.expr] = [
        ast.Lambda(no_arguments, inner),
        ast.Call(ast.Lambda(no_arguments, inner), [], []),
        ast.Call(beside, [inner], []),
        ast.Call(inner, [], [ast.keyword(None, beside)]),
        ast.ListComp(inner, [for_each]),
        ast.GeneratorExp(inner, [for_each]),
        ast.DictComp(inner, beside, [for_each]),
        ast.IfExp(beside, inner, ast.Constant(None)),
        ast.BoolOp(random.choice([ast.And(), ast.Or()]), [inner, beside]),
        ast.UnaryOp(random.choice([ast.Not(), ast.USub(), ast.Invert()]), inner),
        ast.BinOp(inner, random.choice([ast.Add(), ast.Mult(), ast.Mod(), ast.Pow(), ast.LShift()]), beside),
        ast.Compare(inner, [random.choice([ast.Is(), ast.Eq(), ast.Lt(), ast.In()])], [beside]),
        ast.NamedExpr(ast.Name(name, ast.Store()), inner),
        ast.Tuple([inner, ast.Starred(beside, ast.Load())], ast.Load()),
        ast.List([inner, beside], ast.Load()),
        ast.Dict([inner, None], [beside, beside]),
        ast.Subscript(ast.List([inner], ast.Load()), ast.Constant(0), ast.Load()),
        ast.Subscript(inner, ast.Slice(beside, None, None), ast.Load()),
        ast.Attribute(inner, name, ast.Load()),
        ast.JoinedStr([ast.FormattedValue(inner, -1, None)]),
    ]
    put(slot, random.choice(wrapped))


def change_arguments(tree: ast.Module, around: Around) -> None:
    """A call loses an argument, has one twice, hands one on by place, or takes what a mapping holds."""
    random = around.random
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    slot = slot_of(tree, random)
    if not calls or slot is None:
        return
    call = random.choice(calls)
    kind = random.randrange(7)
    if kind == 0 and call.keywords:
        call.keywords.pop(random.randrange(len(call.keywords)))
    elif kind == 1 and call.args:
        call.args.pop(random.randrange(len(call.args)))
    elif kind == 2 and call.keywords:
        call.args.append(call.keywords.pop().value)
    elif kind == 3:
        call.keywords.append(ast.keyword(None, deepcopy(get(slot))))
    elif kind == 4:
        call.args.insert(0, ast.Starred(deepcopy(get(slot)), ast.Load()))
    elif kind == 5:
        options = [each for every in calls for each in every.keywords if each.arg]
        call.keywords += deepcopy(random.sample(options, min(2, len(options))))
    else:
        call.args.insert(0, deepcopy(get(slot)))


def change_parameters(tree: ast.Module, around: Around) -> None:
    """A function loses a parameter or all of them, or takes them by place only, by name only or as a tuple."""
    random = around.random
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    if not functions:
        return
    function = random.choice(functions)
    given = function.args
    every = [*given.posonlyargs, *given.args]
    kind = random.randrange(5)
    if kind == 0:
        function.args = ast.arguments([], [], None, [], [], None, [])
    elif kind == 1:
        given.posonlyargs, given.args = every, []
    elif kind == 2:
        given.kwonlyargs += every
        given.kw_defaults += [None] * len(every)
        given.posonlyargs, given.args, given.defaults = [], [], []
    elif kind == 3:
        given.posonlyargs, given.args, given.defaults = [], [], []
        given.vararg = every[0] if every else given.vararg
    elif every:
        every.pop(random.randrange(len(every)))
        given.posonlyargs, given.args = [], every
        given.defaults = given.defaults[: len(every)]


CHANGES: dict[str, Change] = {
    change.__name__: change
    for change in (
        delete_statement,
        duplicate_statement,
        swap_statements,
        move_statement,
        graft_statement,
        wrap_statement,
        nest_definition,
        unwrap,
        decorate,
        change_bases,
        make_async,
        import_beside,
        rename_everywhere,
        rename_once,
        replace_expression,
        change_constant,
        wrap_expression,
        change_arguments,
        change_parameters,
    )
}
NAMES = tuple(CHANGES)
