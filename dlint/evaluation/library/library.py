"""What calls of builtins and of library functions give."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dlint.evaluation import texts
from dlint.evaluation.containers import is_method
from dlint.evaluation.library.arguments import first, given_whole
from dlint.evaluation.library.described import DESCRIBED
from dlint.evaluation.library.records import RECORDS
from dlint.evaluation.library.tasks import results, task_of
from dlint.evaluation.options.lines import still_parser
from dlint.knowledge.commands import PARSED, PARSED_AS_FAR_AS_KNOWN, PARSED_INTO, READS_FROM
from dlint.knowledge.loading import COPIES_SETTINGS, PREPARES, WRAPS
from dlint.knowledge.names import (
    MAKES_PATHS,
    PATH,
    SUBCLASSES,
    asks_state,
    library_answers_again,
)
from dlint.knowledge.randomness import CHECKED_STATES, MADE_OF_SEED, WORKER_INFO
from dlint.knowledge.trainers import SETTINGS
from dlint.knowledge.words.reflection import DESCRIBES, INSTANTIATES, LOCATES
from dlint.values.alike import told
from dlint.values.facts import Cut, beyond, is_above
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.outcomes import Outcome, stores_told_apart
from dlint.values.values import (
    FALSE,
    GENERATOR,
    NONE,
    TRUE,
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Key,
    Made,
    ModuleValue,
    Partial,
    Table,
    Unknown,
    Value,
)
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

_PLAIN = (Const, Items, Table)
_MOST_SUBCLASSES = 24
_MOST_NUMBERED = 6  # so many things are told apart by the numbers that ``enumerate`` gives them
# Just below one.
_ONE: Cut = (1, False)


def answer_of(name: str) -> Unknown:
    """What a library's function gives that answers the same wherever it is asked: ``os.cpu_count()``."""
    return Unknown(("answer", name))


class Library:
    """Calls of a library's functions, classes and methods."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._worker_infos: set[Key] = set()

    def call(
        self, callee: External, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """What calling a library's function, class or method gives."""
        handler = _FUNCTIONS.get(callee.name)
        found: list[Outcome] = []
        if handler is not None:
            found = handler(self, arguments, node, point, world)
        elif callee.name in _OF_MODULES:
            found = _OF_MODULES[callee.name](self._evaluator, arguments, node, point, world)
        elif is_method(callee.name):
            found = self._evaluator.containers.called(callee.name, arguments, node, point, world)
        elif texts.is_method(callee.name):
            found = texts.called(self._evaluator, callee.name, arguments, node, point, world)
        if found:
            return found
        if callee.name.endswith(_ASKED):
            return self._asked(callee, arguments, node, point, world)
        if callee.name == _COPY_OF_VARS and callee.owner is not None and not arguments.all():
            return [(Made(callee.owner.name, node, callee.owner.arguments, point), world)]
        if callee.name == _GET_OF_VARS and callee.owner is not None:
            found = self._got(callee.owner, arguments, world)
            if found:
                return found
        if callee.owner is None and not arguments.all() and asks_state(callee.name):
            # `is_initialized()` answers the same wherever it is asked.
            return [(answer_of(callee.name), world)]
        if callee.owner is not None and callee.name in COPIES_SETTINGS and not arguments.all():
            assert isinstance(callee.owner, Made)
            return [(Made(callee.owner.name, node, given_whole(callee.owner), point), world)]
        task = task_of(callee)
        if task is not None:
            found = results(self._evaluator, task, world)
            if found:
                return found
        if callee.name in MAKES_PATHS:
            return [(Made(PATH, node, arguments, point), world)]
        if (
            callee.name == PARSED_INTO
            and callee.owner is not None
            and _gives_objects(arguments)
            and not any(isinstance(value, Items) for value, _ in first(self._evaluator, arguments, world))
        ):
            found = self._parsed_into(callee.owner, node, point, world)
            if found:
                return found
        if callee.name == PARSED_AS_FAR_AS_KNOWN and callee.owner is not None:
            rest = Unknown(("rest", id(node), point.key))
            return [(Items("tuple", (Made(PARSED, node, arguments, point), rest)), world)]
        if callee.name in PREPARES:
            found = self._evaluator.prepared.given(arguments, node, point, world)
            if found:
                return found
        if callee.name in WRAPS:
            given = callee.owner.arguments if callee.owner is not None else arguments
            found = self._evaluator.prepared.wrapped(given, node, point, world)
            if found:
                return found
        found = still_parser(self._evaluator, node, point, world)
        if found:
            return found
        text = told(arguments, callee.name) if library_answers_again(callee.name) else None
        made = Made(callee.name, node, arguments, point, text and (callee.key, text))
        if callee.name in LOCATES:
            return self._evaluator.named.located(made, point, world)
        if callee.name in INSTANTIATES:
            return self._evaluator.named.instantiated(made, point, world)
        if callee.name == WORKER_INFO:
            self._worker_infos.add(made.key)
        return [(made, world)]

    def may_be_in_worker(self, world: World) -> bool:
        """Whether a world says nothing that is never so in workers: that ``get_worker_info()`` is None."""
        return not any(
            world.known(("none", key)) or world.known(("truth", key)) is False for key in self._worker_infos
        )

    def _parsed_into(self, parser: Made, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """The objects that a parser fills, one for each dataclass that it was made with."""
        found: list[Outcome] = []
        for value, w in first(self._evaluator, parser.arguments, world):
            classes = value.items if isinstance(value, Items) and not value.open else (value,)
            if not all(isinstance(cls, Class) or getattr(cls, "name", "") in SETTINGS for cls in classes):
                return []
            filled = [
                Made(
                    PARSED_INTO,
                    node,
                    Arguments([Argument(None, None, cls)]),
                    point,
                    ("filled", id(node), cls.key),
                )
                for cls in classes
            ]
            found.append((Items("tuple", tuple(filled)), w))
        return found

    def _dict(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return list(self._evaluator.containers.table(arguments, world))

    def _chained(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """``ChainMap(given, defaults)``: of several dicts that have a key, the first one's entry counts."""
        if arguments.keywords or arguments.splats or arguments.spread:
            return []
        return list(self._evaluator.containers.table(Arguments(arguments.positional[::-1]), world))

    def _listed(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        if not arguments.positional:
            return [(Items("list", ()), world)]
        return [
            (value, w)
            if isinstance(value, Items) and value.kind != GENERATOR
            else (Items("list", tuple(self._evaluator.iterated(value, node, point, w)), True), w)
            for value, w in first(self._evaluator, arguments, world)
        ]

    def _new_list(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """A list of what a tuple or a set has, to which others may add more."""
        return [
            (Items("list", value.items, value.open), w)
            if isinstance(value, Items) and value.kind != "list"
            else (value, w)
            for value, w in self._listed(arguments, node, point, world)
        ]

    def _same(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return first(self._evaluator, arguments, world)

    def _entered(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """What ``with`` would give for a context manager."""
        return [
            (held, w)
            for value, w in first(self._evaluator, arguments, world)
            for held in (
                self._evaluator.containers.elements(value)
                if isinstance(value, Items) and value.kind == GENERATOR
                else [value]
            )
        ]

    def _copied(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """A copy is an object of its own, made alike: what is stored in the one is not in the other."""
        return [
            (Instance(value.cls, value.arguments, node, point.key), w)
            if isinstance(value, Instance) and value.arguments is not None
            else (value, w)
            for value, w in first(self._evaluator, arguments, world)
        ]

    def _enumerate(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        index = Unknown(("index", id(node)))
        found: list[Outcome] = []
        for value, w in first(self._evaluator, arguments, world):
            known = self._evaluator.containers.all_of(value) if len(arguments.all()) == 1 else None
            if known is not None and len(known) <= _MOST_NUMBERED:
                pairs = [Items("tuple", (Const(at), item)) for at, item in enumerate(known)]
            else:
                items = self._evaluator.iterated(value, node, point, w)
                pairs, known = [Items("tuple", (index, item)) for item in items], None
            found.append((Items("list", tuple(pairs), known is None), w))
        return found

    def _zip(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        columns: list[list[Value]] = []
        for argument in arguments.positional:
            values = self._evaluator.value_of(argument, world)
            columns.append(
                self._evaluator.iterated(values[0][0], node, point, values[0][1]) if values else []
            )
        if not columns or not all(columns):
            return []
        rows = [
            Items("tuple", tuple(column[min(i, len(column) - 1)] for column in columns))
            for i in range(max(len(column) for column in columns))
        ]
        return [(Items("list", tuple(rows), True), world)]

    def _next(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            (item, w)
            for value, w in first(self._evaluator, arguments, world)
            for item in self._evaluator.containers.elements(value)
        ]

    def _objects(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """What a draw may give where it draws from objects. Numbers, texts and rows of a table lead to no
        other code, and would only fork worlds."""
        found = self._next(arguments, node, point, world)
        if any(isinstance(item, _PLAIN) for item, _ in found):
            return []
        return [] if all(isinstance(item, Unknown) for item, _ in found) else found

    def _drawn(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """One of some objects."""
        if len(arguments.positional) != 1 or not set(arguments.keywords) <= {"p"}:
            return []
        return self._objects(arguments, node, point, world)

    def _drawn_several(
        self, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """A list of some objects."""
        items = {item.key: item for item, _ in self._objects(arguments, node, point, world)}
        return [(Items("list", tuple(items.values()), True), world)] if items else []

    def _state(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """What scikit-learn makes of a seed: a generator stays the same, for None there is NumPy's own."""
        return [
            (Made(MADE_OF_SEED, node, arguments, point), w)
            if isinstance(value, Const) and value.value is not None
            else (value if isinstance(value, Made) else Unknown(("state", id(node), value.key)), w)
            for value, w in first(self._evaluator, arguments, world)
        ]

    def _length(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            (Const(len(value.items)), w)
            if isinstance(value, Items) and not value.open
            else (Unknown(("length", value.key)), w)
            for value, w in first(self._evaluator, arguments, world)
        ]

    def _number(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        found: list[Outcome] = []
        for value, w in first(self._evaluator, arguments, world):
            if isinstance(value, Const):
                try:
                    found.append((Const(int(value.value)), w))
                    continue
                except (TypeError, ValueError, OverflowError):
                    pass
            found.append((self._evaluator.options.beside.as_number(value), w))
        return found

    def _bool(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            (Const(result), v)
            for value, w in first(self._evaluator, arguments, world)
            for result, v in self._evaluator.truths.of_value(value, w)
        ]

    def _least(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return self._extreme(min, arguments, node, point, world)

    def _greatest(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return self._extreme(max, arguments, node, point, world)

    def _extreme(
        self, function: Callable[[Any], Any], arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        values = [self._evaluator.value_of(argument, world) for argument in arguments.positional]
        constants = [
            outcomes[0][0].value
            for outcomes in values
            if len(outcomes) == 1 and isinstance(outcomes[0][0], Const)
        ]
        numbers = [value for value in constants if isinstance(value, int | float)]
        if numbers and len(numbers) == len(values):
            return [(Const(function(numbers)), world)]
        if function is min and 0 in numbers and len(values) > 1:
            return [(Const(0), world)]
        others = [outcomes for outcomes in values if [value for value, _ in outcomes] != [Const(1)]]
        if function is min and len(values) == 2 and len(others) == 1:
            return _at_most_one(others[0], node, point)
        return [(Unknown((function.__name__, id(node), point.frame.key)), world)]

    def _getattr(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        if len(arguments.positional) < 2:
            return []
        found: list[Outcome] = []
        for base, w in first(self._evaluator, arguments, world):
            for name, v in self._evaluator.value_of(arguments.positional[1], w):
                if isinstance(name, Const) and isinstance(name.value, str):
                    held = self._evaluator.attribute(base, name.value, node, point, v)
                    found += self._or_default(held, base, name.value, arguments, v)
                else:
                    unknown: Outcome = (Unknown(("getattr", base.key, name.key)), v)
                    named = self._evaluator.named
                    methods = named.method(base, name, node, point, v) if isinstance(base, Instance) else []
                    found += [*methods, unknown] if methods else named.member(base, name, v) or [unknown]
        return found

    def _or_default(
        self, held: list[Outcome], base: Value, name: str, arguments: Arguments, world: World
    ) -> list[Outcome]:
        """What ``getattr`` gives of an object: also its default, where the object has no such attribute until
        one of its methods stores one."""
        if len(arguments.positional) < 3 or not isinstance(base, Instance):
            return held
        if not self._evaluator.attributes.comes_later(base, name):
            return held
        default = self._evaluator.value_of(arguments.positional[2], world)
        return stores_told_apart([*held, *default], ("getattr", base.key, name), world)

    def _asked(
        self, callee: External, arguments: Arguments, node: ast.AST, point: Point, world: World
    ) -> list[Outcome]:
        """``x.__getattribute__(name)`` and ``x.__getattr__(name)``: what an object of a library has."""
        found: list[Outcome] = []
        for name, w in first(self._evaluator, arguments, world):
            told = name.value if isinstance(name, Const) and isinstance(name.value, str) else None
            if told is not None and callee.owner is not None and len(arguments.positional) == 1:
                found += self._evaluator.attribute(callee.owner, told, node, point, w)
            else:
                found.append((Unknown(("asked", callee.key, name.key)), w))
        return found or [(Unknown(("asked", callee.key, id(node))), world)]

    def _got(self, options: Made, arguments: Arguments, world: World) -> list[Outcome]:
        """``vars(args).get("workers")``: the option that goes by a name; nothing where that is not known."""
        asked = self._evaluator.entries.options(options, world)
        found: list[Outcome] = []
        for name, w in first(self._evaluator, arguments, world) if asked is not None else ():
            told = name.value if isinstance(name, Const) and isinstance(name.value, str) else None
            if asked is None or told is None or not self._evaluator.options.is_kept(asked, told):
                return []
            found += self._evaluator.attribute(asked, told, asked.node, asked.point, w)
        return found

    def _eval(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            outcome
            for text, w in first(self._evaluator, arguments, world)
            for outcome in self._evaluator.named.evaluated(text, node, point, w)
        ]

    def _import(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        given = [*arguments.positional[1:2], *(each for each in [arguments.keywords.get("package")] if each)]
        packages = self._evaluator.value_of(given[0], world) if given else [(NONE, world)]
        return [
            outcome
            for within, v in packages
            for name, w in first(self._evaluator, arguments, v)
            for outcome in self._evaluator.named.imported(name, within, point, w)
        ]

    def _names(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """``globals()`` and ``vars(module)``: what the module has; ``vars(record)``: what its fields hold."""
        given = first(self._evaluator, arguments, world) if arguments.positional else [(None, world)]
        found: list[Outcome] = []
        for value, w in given:
            module = ModuleValue(point.frame.module, None) if value is None else value
            if isinstance(module, ModuleValue):
                found.append((self._evaluator.named.all_of(module), w))
            elif isinstance(module, Instance | Made):
                found += self._evaluator.records.as_dict(module, node, point, w, whole=False)
        return found

    def _members(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """``inspect.getmembers(module)``: the names and what they stand for."""
        return [
            (
                Items(
                    "list",
                    tuple(
                        Items("tuple", (Const(name), value))
                        for name, value in self._evaluator.named.all_of(module).items.items()
                    ),
                    True,
                ),
                w,
            )
            for module, w in first(self._evaluator, arguments, world)
            if isinstance(module, ModuleValue)
        ]

    def _issubclass(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        if len(arguments.positional) != 2:
            return []
        found: list[Outcome] = []
        for value, w in first(self._evaluator, arguments, world):
            for above, v in self._evaluator.value_of(arguments.positional[1], w):
                answer = None
                if isinstance(value, Class):
                    made = Instance(value, Arguments(), node, point.key)
                    answer = self._evaluator.classes.is_instance(made, above)
                found.append(
                    (Unknown(("issubclass", value.key, above.key)) if answer is None else Const(answer), v)
                )
        return found

    def _subclasses(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """``Base.__subclasses__()``: the program's classes directly below one."""
        found: list[Outcome] = []
        for value, w in first(self._evaluator, arguments, world):
            if isinstance(value, Class):
                below = self._evaluator.classes.subclasses(value, _MOST_SUBCLASSES + 1)
                many = len(below) > _MOST_SUBCLASSES
                found.append((Items("list", tuple(below[:_MOST_SUBCLASSES]), many), w))
        return found

    def _partial(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        rest = Arguments(arguments.positional[1:], arguments.keywords, arguments.spread, arguments.splats)
        return [(Partial(callee, rest), w) for callee, w in first(self._evaluator, arguments, world)]

    def _super(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return self._evaluator.classes.super_at(point, world)

    def _type(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        return [
            (value.cls if isinstance(value, Instance) else Unknown(("type", value.key)), w)
            for value, w in first(self._evaluator, arguments, world)
        ]

    def _isinstance(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        if len(arguments.positional) != 2:
            return []
        found: list[Outcome] = []
        for value, w in first(self._evaluator, arguments, world):
            for cls, v in self._evaluator.value_of(arguments.positional[1], w):
                answer = self._evaluator.classes.is_instance(value, cls)
                if answer is None:
                    found.append((Unknown(("isinstance", value.key, cls.key)), v))
                else:
                    found.append((Const(answer), v))
        return found

    def _callable(self, arguments: Arguments, node: ast.AST, point: Point, world: World) -> list[Outcome]:
        """Whether something can be called, where that is known."""
        found: list[Outcome] = []
        for value, w in first(self._evaluator, arguments, world):
            match value:
                case Function() | Class() | Partial():
                    answer: Value = TRUE
                case Const() | Items() | Table():
                    answer = FALSE
                case _:
                    answer = Unknown(("callable", value.key))
            found.append((answer, w))
        return found


# What stands in modules of its own.
_OF_MODULES = {**RECORDS, **DESCRIBED}
_GET_OF_VARS, _COPY_OF_VARS = "builtins.vars().get", "builtins.vars().copy"
_ASKED = (".__getattribute__", ".__getattr__")
_FUNCTIONS: dict[str, Callable[[Library, Arguments, ast.AST, Point, World], list[Outcome]]] = {
    "builtins.dict": Library._dict,
    "collections.ChainMap": Library._chained,
    "builtins.list": Library._new_list,
    "builtins.tuple": Library._listed,
    "builtins.set": Library._listed,
    "builtins.sorted": Library._new_list,
    "builtins.reversed": Library._listed,
    "builtins.iter": Library._same,
    "contextlib.closing": Library._same,
    "contextlib.nullcontext": Library._same,
    "contextlib.ExitStack().enter_context": Library._entered,
    "copy.copy": Library._copied,
    "copy.deepcopy": Library._copied,
    "builtins.enumerate": Library._enumerate,
    "tqdm.tqdm": Library._same,
    "tqdm.auto.tqdm": Library._same,
    "builtins.zip": Library._zip,
    "builtins.next": Library._next,
    "random.choice": Library._drawn,
    "random.choices": Library._drawn_several,
    "random.sample": Library._drawn_several,
    "numpy.random.choice": Library._drawn,
    **dict.fromkeys(CHECKED_STATES, Library._state),
    "builtins.callable": Library._callable,
    "builtins.len": Library._length,
    "builtins.int": Library._number,
    "builtins.bool": Library._bool,
    "builtins.min": Library._least,
    "builtins.max": Library._greatest,
    "builtins.getattr": Library._getattr,
    "builtins.eval": Library._eval,
    "builtins.super": Library._super,
    "builtins.type": Library._type,
    "builtins.isinstance": Library._isinstance,
    "builtins.issubclass": Library._issubclass,
    "builtins.globals": Library._names,
    "builtins.vars": Library._names,
    "inspect.getmembers": Library._members,
    "builtins.__import__": Library._import,
    "importlib.import_module": Library._import,
    "functools.partial": Library._partial,
    **dict.fromkeys(DESCRIBES, Library._partial),
    SUBCLASSES: Library._subclasses,
}


def _at_most_one(numbers: list[Outcome], node: ast.AST, point: Point) -> list[Outcome]:
    """What ``min(n, 1)`` gives: 1, or ``n`` where that is less. Of a larger bound no rule asks on which side
    of it a number lies."""
    found: list[Outcome] = []
    for value, world in numbers:
        if isinstance(value, Const) and isinstance(value.value, int | float):
            found.append((Const(min(value.value, 1)), world))
        elif isinstance(value, Unknown | Made | External):
            about = world.about(value.key)
            known = is_above(about, _ONE)
            for above in (True, False) if known is None else (known,):
                least = Const(1) if above else value
                at = world if known is not None else world.with_about(value.key, beyond(about, _ONE, above))
                found.append((least, at))
        else:
            found.append((Unknown(("min", id(node), point.frame.key)), world))
    return found


def _gives_objects(arguments: Arguments) -> bool:
    """Whether a parser is asked for nothing but the objects that it fills."""
    others = arguments.keywords.keys() - READS_FROM
    return not (others or arguments.positional[1:] or arguments.spread or arguments.splats)
