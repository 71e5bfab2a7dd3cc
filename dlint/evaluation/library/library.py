"""What calls of builtins and of library functions give."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlint.evaluation import texts
from dlint.evaluation.containers import is_method
from dlint.evaluation.library.arguments import first, given_whole
from dlint.evaluation.library.described import DESCRIBED
from dlint.evaluation.library.draws import DRAWS
from dlint.evaluation.library.iterables import ITERABLES
from dlint.evaluation.library.numbers import NUMBERS
from dlint.evaluation.library.records import RECORDS
from dlint.evaluation.library.reflection import REFLECTION
from dlint.evaluation.library.tasks import results, task_of
from dlint.evaluation.options.lines import still_parser
from dlint.knowledge.commands import PARSED, PARSED_AS_FAR_AS_KNOWN, PARSED_INTO, READS_FROM
from dlint.knowledge.loading import COPIES_SETTINGS, PREPARES, WRAPS
from dlint.knowledge.names import MAKES_PATHS, PATH, asks_state, library_answers_again
from dlint.knowledge.processes.native_threads import SET_OF_CORES
from dlint.knowledge.randomness import WORKER_INFO
from dlint.knowledge.trainers import SETTINGS
from dlint.knowledge.words.reflection import INSTANTIATES, LOCATES
from dlint.values.alike import told
from dlint.values.frame import Argument, Arguments, Point
from dlint.values.outcomes import Outcome
from dlint.values.values import Class, Const, External, Items, Key, Made, Unknown
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator

_ANSWERS = {**ITERABLES, **DRAWS, **NUMBERS, **REFLECTION, **RECORDS, **DESCRIBED}
_GET_OF_VARS, _COPY_OF_VARS = "builtins.vars().get", "builtins.vars().copy"
_ASKED = (".__getattribute__", ".__getattr__")


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
        answer = _ANSWERS.get(callee.name)
        found: list[Outcome] = []
        if answer is not None:
            found = answer(self._evaluator, arguments, node, point, world)
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
        if callee.owner is None and (
            callee.name == SET_OF_CORES or (not arguments.all() and asks_state(callee.name))
        ):
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


def _gives_objects(arguments: Arguments) -> bool:
    """Whether a parser is asked for nothing but the objects that it fills."""
    others = arguments.keywords.keys() - READS_FROM
    return not (others or arguments.positional[1:] or arguments.spread or arguments.splats)
