"""A loader without workers gets an option that only workers have.

## What it finds

On some way through the program:

- `num_workers` absent or 0 together with `persistent_workers=True`, a `prefetch_factor`, a
  `multiprocessing_context` or a `timeout` above 0;
- `prefetch_factor=0` with workers; a negative `num_workers`, `prefetch_factor` or `timeout`.

Only sure values count: a number of workers that the user chooses is not reported, but the default of an
option is (`--workers`, default 0, with `prefetch_factor=2`: the program raises as it stands), also of one
that pydantic's `BaseSettings` reads of the environment, of `os.environ.get("WORKERS", 0)`, or of a setting
(`_C.WORKERS = 0` of a yacs config) that nothing else in the project sets (where files are read into the
settings, the project has some, and none of them sets it), and `persistent_workers=workers > 0` is understood.
A default does not count where a file is given for all (`Config(**yaml.safe_load(f))`), nor one that a
validator of a pydantic model may replace, nor one that the program itself refuses (`if args.workers == 0:
parser.error(...)`). `worker_init_fn` without workers is never called, which is harmless and not reported.
What a test expects to raise (`with pytest.raises(ValueError):`) is left alone.

## Why is this bad

The constructor raises ValueError (torch 2.13; `prefetch_factor=2`, the default before, does so from torch 2.0
on, and is left alone where the project declares an older one; any other number from 1.7 on, as
`persistent_workers`; a context from 1.2 on); a `timeout` without workers and `prefetch_factor=0` end in an
AssertionError when the loader is iterated.

## Example

```python
loader = DataLoader(dataset, persistent_workers=True)
```

Use instead:

```python
loader = DataLoader(dataset, num_workers=4, persistent_workers=True)
```

or leave the option out.

## Level

- `error`, error: every way to the call has the option and no workers, or an impossible number; those count on
  which options of the command line have their defaults.
- `warning`, error: only some do.

## Fix safety

Safe where every way to the call fails: the option goes, with the comments on it and the names that were there
for it alone. Where the number of workers is an option, also one of the environment, an attribute or an entry
of the settings, or only some ways fail, it becomes `persistent_workers=args.workers > 0`, or
`prefetch_factor=4 if args.workers > 0 else None`, but where torch before 2.0 is allowed, which takes no None.
Unsafe where a `try` around the call catches the error. A negative `num_workers` has no remedy.

## References

- https://pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlint.evaluation.options.beside import BY_ENVIRONMENT
from dlint.evaluation.options.option import option_of, setting_of
from dlint.finding import Remedy
from dlint.loaders.conflicts import Conflict, Judge, applicability, conflicts, is_on, surely_given
from dlint.loaders.loaders import Loader, is_zero
from dlint.program.conditions import SOME_WAYS
from dlint.program.program import Program
from dlint.program.refusals import is_refused
from dlint.rules.rule import Found
from dlint.rules.wording import listed
from dlint.source.statements import FunctionNode, dotted, parameters, statements_in
from dlint.values.facts import fits
from dlint.values.values import Const, External, Unknown, Value
from dlint.values.worlds import World

# An older torch takes no prefetch_factor=None, and raises nothing without workers of what was its default.
_TAKES_NONE = (2, 0)
_ERRORS = {
    "persistent_workers": "ValueError",
    "prefetch_factor": "ValueError",
    "multiprocessing_context": "ValueError",
    "timeout": "AssertionError when it is iterated",
}


def check(program: Program) -> Iterator[Found]:
    """Loaders whose options surely ask for workers that are not there, or for an impossible number."""
    for loader in program.loaders:
        missing = {
            name: conflict
            for name in filter(loader.may_get, _ERRORS)
            for conflict in [
                conflicts(loader, ("num_workers", name), _without_workers(program, loader, name))
            ]
            if conflict is not None
        }
        # What raises on every way needs none that only may: those are told where nothing else is.
        sure = {name: conflict for name, conflict in missing.items() if conflict.as_it_stands}
        if missing:
            yield _needs_workers(program, loader, sure or missing)
        else:
            yield from _numbers(loader)


def _without_workers(program: Program, loader: Loader, name: str) -> Judge:
    releases = program.releases.of(loader.module.relative)

    def judge(given: dict[str, Value | None], world: World) -> bool:
        value = given[name]
        if not _no_workers(program, given["num_workers"], world):
            return False
        match name:
            case "persistent_workers":
                needed = is_on(program.evaluator, value, world)
            case "timeout":
                needed = isinstance(value, Const) and _is_number(value) and value.value > 0
            case "prefetch_factor" if releases.torch_is_before(_TAKES_NONE):
                needed = surely_given(value, world) and not _was_default(value)
            case _:
                needed = surely_given(value, world)
        asked = _options(loader) if needed and world.is_as_it_stands else ()
        return needed and not any(is_refused(program, option) for option in asked)

    return judge


def _no_workers(program: Program, value: Value | None, world: World) -> bool:
    """Whether the number of workers surely is 0, or a setting or a variable of the environment is that where
    nobody asks for another."""
    if value is not None and setting_of(value) is not None and world.is_as_it_stands:
        default = program.evaluator.options.by_default(value, world)
        return default is not None and is_zero(default) and fits(default, world.about(value.key))
    if isinstance(value, Unknown):
        known = world.known(("truth", value.key))
        variable = _variable(program, value) if known is None else None
        nothing = variable is not None and fits(Const(0), world.about(value.key))
        return known is False or nothing
    return value is None or (isinstance(value, Const) and value.value == 0)


def _variable(program: Program, value: Value | None) -> str | None:
    """The words for a variable of the environment beside which a number of 0 stands, for where it is not
    set."""
    asked = program.evaluator.options.unasked(value) if isinstance(value, Unknown) else None
    by_default = asked is not None and asked.default == Const(0)
    return (
        asked.words if asked is not None and by_default and asked.words.startswith(BY_ENVIRONMENT) else None
    )


def _is_number(value: Const) -> bool:
    return isinstance(value.value, int | float)


def _needs_workers(program: Program, loader: Loader, missing: dict[str, Conflict]) -> Found:
    names = list(missing)
    option, setting = _option(loader), _setting(loader)
    if option is not None or setting is not None:
        asked: str | None = f"the {'setting' if option is None else 'option'} {option or setting}"
    else:
        asked = _named_variable(program, loader)
    # A file may set another number of workers, and so may who asks for one.
    always = asked is None and all(conflict.always for conflict in missing.values())
    why = "num_workers is 0" if asked is None else f"{asked} is 0 by default"
    error = _ERRORS[names[0]]
    if names[0] == "prefetch_factor" and all(
        _was_default(way["prefetch_factor"]) for way in missing["prefetch_factor"].ways
    ):
        error += ", from torch 2.0 on"
    remedy = _kept_with_workers(program, loader, names, always) or _dropped(loader, names, always)
    return Found(
        loader.module,
        loader.call,
        f"{listed(names)} without workers, as {why}: DataLoader raises {error}",
        "error",
        f"set num_workers or leave {'it' if len(names) == 1 else 'them'} out",
        None if all(conflict.as_it_stands for conflict in missing.values()) else SOME_WAYS,
        remedy=remedy,
        marked=loader.written_here(*names),
        by_hand=None if remedy else "give the option only where num_workers is above 0",
    )


def _kept_with_workers(program: Program, loader: Loader, names: list[str], always: bool) -> Remedy | None:
    """The repair that asks for the number of workers, where others may choose it: an option, an entry of the
    settings, an attribute, a parameter; a variable where it is not 0 on every way."""
    number = loader.written("num_workers") or loader.in_options("num_workers")
    at_call = all(map(loader.keyword, names)) and bool(loader.written_here("num_workers"))
    if not at_call and not all(map(loader.in_options, ("num_workers", *names))):
        return None
    said = program.releases.of(loader.module.relative).said_torch
    if "prefetch_factor" in names and said is not None and said < _TAKES_NONE:
        return None
    match number:
        case ast.Name() if not always or _may_be_other(loader, number):
            pass
        case ast.Attribute() | ast.Subscript() | ast.Call(func=ast.Attribute(attr="get")):
            pass
        case _:
            return None
    kept = names == ["persistent_workers"]
    what = "Keep workers only where there are some" if kept else f"Give {listed(names)} only to workers"
    return Remedy("persist_with_workers", applicability(loader), what, {"arguments": names})


def _may_be_other(loader: Loader, number: ast.Name) -> bool:
    """Whether a variable is 0 only as this program comes to it: a parameter, or ``0 if debug else 4``."""
    scope = loader.point.frame.scope
    if not isinstance(scope, FunctionNode):
        return False
    return any(each.arg == number.id for each in parameters(scope)) or any(
        isinstance(statement, ast.Assign)
        and not isinstance(statement.value, ast.Constant)
        and any(dotted(each) == number.id for each in statement.targets)
        for statement in statements_in(scope.body)
    )


def _option(loader: Loader) -> str | None:
    """The option that surely is the number of workers, and 0 where the user asks for nothing else."""
    values = loader.values("num_workers")
    named = {option_of(value) for value in values if value is not None and not is_zero(value)}
    return named.pop() if len(named) == 1 and any(map(_is_nought, values)) else None


def _named_variable(program: Program, loader: Loader) -> str | None:
    """The variable of the environment that the number of workers is, and 0 where nobody sets it."""
    named = {_variable(program, value) for value in loader.values("num_workers")}
    return named.pop() if len(named) == 1 else None


def _setting(loader: Loader) -> str | None:
    """The setting that the number of workers is, on every way on which it is not 0."""
    values = loader.values("num_workers")
    named = {setting_of(value) for value in values if value is not None and not is_zero(value)}
    return named.pop() if len(named) == 1 else None


def _options(loader: Loader) -> list[External]:
    """The options that the number of workers may be."""
    return [
        value
        for value in loader.values("num_workers")
        if isinstance(value, External) and option_of(value) is not None
    ]


def _is_nought(value: Value | None) -> bool:
    return isinstance(value, Const) and value.value == 0


def _was_default(value: Value | None) -> bool:
    """Whether a prefetch_factor is what it was in torch 1 when nobody gave one."""
    return isinstance(value, Const) and value.value == 2


def _dropped(loader: Loader, names: list[str], always: bool) -> Remedy | None:
    if not always or not all(map(loader.may_leave_out, names)):
        return None
    return Remedy(
        "drop_argument", applicability(loader), f"Remove {' and '.join(names)}", {"arguments": names}
    )


def _numbers(loader: Loader) -> Iterator[Found]:
    """Numbers that no loader accepts."""
    for name in filter(loader.may_get, ("num_workers", "timeout", "prefetch_factor")):
        conflict = conflicts(loader, (name,), _negative(name))
        if conflict is not None:
            yield _refused(loader, name, conflict, f"{name} is negative", "ValueError")
    if not loader.may_get("prefetch_factor"):
        return
    conflict = conflicts(loader, ("prefetch_factor",), _zero_prefetch)
    if conflict is not None:
        yield _refused(
            loader, "prefetch_factor", conflict, "prefetch_factor is 0", "AssertionError when it is iterated"
        )


def _negative(name: str) -> Judge:
    def judge(given: dict[str, Value | None], world: World) -> bool:
        value = given[name]
        return isinstance(value, Const) and _is_number(value) and value.value < 0

    return judge


def _zero_prefetch(given: dict[str, Value | None], world: World) -> bool:
    value = given["prefetch_factor"]
    return isinstance(value, Const) and _is_number(value) and value.value == 0


def _refused(loader: Loader, name: str, conflict: Conflict, what: str, error: str) -> Found:
    remedy = None if name == "num_workers" else _dropped(loader, [name], conflict.always)
    cure = "give a number of 1 or more" if name != "timeout" else "give 0 for no limit"
    return Found(
        loader.module,
        loader.call,
        f"{what}: DataLoader raises {error}",
        "error",
        f"{cure}, or leave it out",
        None if conflict.as_it_stands else SOME_WAYS,
        remedy=remedy,
        marked=loader.written_here(name),
    )
