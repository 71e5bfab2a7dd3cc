"""Functions that a command line calls: their parameters have defaults, which the user may change.

``@click.option("--workers", default=0)`` above a function says what it gets, and so does the default of a
parameter where typer, fire or the like call the function. Told only where nothing else calls it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.calls.parameters.written import default_of
from dlint.knowledge.commands import (
    CALLS_WITH_OPTIONS,
    CHANGES_PARSER,
    CLICK,
    CLICK_CHANGES,
    CLICK_OPTION,
    CLICK_REST,
    CONFIG_STORE,
    FILLING,
    FILLS_FIELDS,
    HYDRA,
    HYDRA_RECORD,
    ONLY_TELL_COMMANDS,
    TYPER_APP,
    TYPER_DEFAULTS,
    WRAPS,
)
from dlint.knowledge.loading import LIGHTNING_CLI
from dlint.knowledge.trainers import DATA_MODULE, HOOKED
from dlint.regex import regex
from dlint.source.declared_options import flags_of
from dlint.source.desugaring.records import is_record
from dlint.source.nodes import is_text
from dlint.source.statements import FunctionNode, dotted, given_by_name, parameters, self_name
from dlint.values.frame import Argument, Arguments, Frame, Point
from dlint.values.values import Class, External, Made, Value
from dlint.values.worlds import World

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator
    from dlint.values.outcomes import Outcome


# Where a ``LightningCLI`` is given the class of the model, and that of the data.
_GIVEN_TO_CLI = {False: (0, "model_class"), True: (1, "datamodule_class")}
# The field of a dataclass by which Hydra adds other settings.
_ADDS_OTHERS = regex(r"^[ \t]*defaults\b", re.MULTILINE)
# The types of click's that leave a text as it is.
_TEXTS = frozenset({"str", "STRING", "Choice", "Path"})


class Commands:
    """Questions about functions that a command line calls."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._called: dict[int, str | None] = {}  # by what, where anything calls it
        self._rests: dict[int, Made | None] = {}
        self._fills: dict[int, bool] = {}  # by module

    def decorated(self, name: str, scope: FunctionNode, frame: Frame, world: World) -> list[Outcome]:
        """What a decorator passes for a parameter, whoever calls the function."""
        mark = id(frame.module)
        if mark not in self._fills:
            self._fills[mark] = any(library in frame.module.text for library in FILLING)
        if not self._fills[mark]:
            return []
        return (
            self._clicked(name, scope, frame, world)
            or self._wrapped(name, scope, frame, world)
            or self._configured(name, scope, frame, world)
        )

    def _clicked(self, name: str, scope: FunctionNode, frame: Frame, world: World) -> list[Outcome]:
        rest = self._rest(scope, frame) if scope.args.kwarg and scope.args.kwarg.arg == name else None
        if rest is not None:
            return [(rest, world)]
        options = self._click_options(scope, frame)
        declared = [call for call in options if _kept_as(call) == name]
        if len(declared) != 1:
            return []
        return self._default_or_more(_told_default(declared[0]), declared[0], name, frame, world)

    def _rest(self, scope: FunctionNode, frame: Frame) -> Made | None:
        """What click passes to the ``**kwargs`` of a function: a dict of the options that have no parameter
        of their own, each with its default, or with what declares it where that is not told."""
        mark = id(scope)
        if mark not in self._rests:
            self._rests[mark] = None  # should what is looked at lead here again
            options = self._click_options(scope, frame)
            own = {each.arg for each in parameters(scope)}
            kept = [_kept_as(call) for call in options]
            if options and frame.outer is not None:
                point = Point(frame.outer, None)
                given = {
                    name: Argument(_told_default(call) or call, point)
                    for name, call in zip(kept, options, strict=True)
                    if name is not None and name not in own and kept.count(name) == 1
                }
                self._rests[mark] = Made(CLICK_REST, options[0], Arguments([], given), point)
        return self._rests[mark]

    def called(self, name: str, scope: FunctionNode, frame: Frame, world: World) -> list[Outcome]:
        """What the user of a command passes for a parameter of a function that nothing else calls."""
        by = self._called_by(scope, frame)
        if by is None:
            return []
        if by == LIGHTNING_CLI and self._evaluator.modules.index.is_configured(name):
            return []
        default = default_of(name, scope)
        filled = self._filled(by, name, scope, frame, world) if by in FILLS_FIELDS else []
        if filled:
            return filled
        if isinstance(default, ast.Call):
            callees = self._values(default.func, frame)
            if not any(self._is_external(value, TYPER_DEFAULTS) for value in callees):
                return []
            words = given_by_name(default)
            if words.keys() & {"callback", "default_factory", None}:
                return []
            default = default.args[0] if default.args else words.get("default")
        return self._default_or_more(default, default, name, frame, world)

    def _default_or_more(
        self, default: ast.expr | None, by: ast.expr | None, name: str, frame: Frame, world: World
    ) -> list[Outcome]:
        """What an option is where nobody asks for it, or anything else; ``by`` is what declares it."""
        if not isinstance(default, ast.Constant) or by is None or frame.outer is None:
            return []
        given = Argument(default, Point(frame.outer, None))
        return self._evaluator.options.declared(given, by, name, world)

    def _click_options(self, scope: FunctionNode, frame: Frame) -> list[ast.Call]:
        """The options that click declares for a function, where all its decorators are click's."""
        text = frame.module.text
        if "click" not in text or ".invoke(" in text or ".callback(" in text:
            return []
        options = []
        for decorator in scope.decorator_list:
            function = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(function, ast.Attribute) and function.attr == "command":
                continue
            values = self._values(function, frame)
            if not values or not all(map(_is_clicks, values)):
                return []
            if isinstance(decorator, ast.Call) and self._is_external(values[0], {CLICK_OPTION}):
                options.append(decorator)
        return options

    def _wrapped(self, name: str, scope: FunctionNode, frame: Frame, world: World) -> list[Outcome]:
        """The object that ``@draccus.wrap()`` fills for the first parameter."""
        first = parameters(scope)[0]  # it has the name
        if len(scope.decorator_list) != 1 or first.arg != name or first.annotation is None:
            return []
        decorator = scope.decorator_list[0]
        if not isinstance(decorator, ast.Call) or decorator.args or decorator.keywords or frame.outer is None:
            return []
        for value in self._values(decorator.func, frame):
            if isinstance(value, External) and value.name in WRAPS:
                point = Point(frame.outer, None)
                given = Arguments([Argument(first.annotation, point)])
                return [(Made(WRAPS[value.name], decorator, given, point), world)]
        return []

    def _configured(self, name: str, scope: FunctionNode, frame: Frame, world: World) -> list[Outcome]:
        """What ``@hydra.main`` passes: an object of the keys in a YAML file."""
        decorator = scope.decorator_list[0]
        if len(scope.decorator_list) != 1 or not isinstance(decorator, ast.Call) or decorator.args:
            return []
        if "hydra" not in frame.module.text or frame.outer is None or self_name(scope) != name:
            return []
        if not any(self._is_external(value, {HYDRA}) for value in self._values(decorator.func, frame)):
            return []
        point = Point(frame.outer, None)
        stored = self._stored_record(decorator, frame)
        if stored is not None:
            given = Arguments([Argument(None, None, stored)])
            return [(Made(HYDRA_RECORD, decorator, given, point), world)]
        return [(Made(HYDRA, decorator, Arguments(), point), world)]

    def _stored_record(self, decorator: ast.Call, frame: Frame) -> Class | None:
        """The dataclass that Hydra's ConfigStore has under the name which ``@hydra.main`` asks for, where no
        file can come before it and no list of ``defaults`` adds others."""
        asked = given_by_name(decorator)
        name, path = asked.get("config_name"), asked.get("config_path")
        if not isinstance(name, ast.Constant) or not (path is None or _is_constant(path, None)):
            return None
        modules = self._evaluator.modules
        found = [
            (module, trail, words)
            for module in modules.each(modules.index.mentioning(CONFIG_STORE.rpartition(".")[2]))
            for trail in module.paths_to("store", called=True)
            if (words := _words(trail[-2])) and _is_constant(words.get("name"), name.value)
        ]
        found = [each for each in found if each[0] is frame.module] or found
        if len(found) != 1 or found[0][2].keys() != {"name", "node"}:
            return None
        module, trail, words = found[0]
        at = self._evaluator.sites.point_of(module, trail)
        nodes = [value for value, _ in self._evaluator.values(words["node"], at)]
        store = trail[-2].func if isinstance(trail[-2], ast.Call) else words["node"]
        callees = [value for value, _ in self._evaluator.values(store, at)]
        match nodes, callees:
            case [Class() as cls], [External(name=called)] if called.startswith(CONFIG_STORE):
                line = self._evaluator.classes.line(cls)
                others = any(_ADDS_OTHERS.search(each.module.text_of(each.node)) for each in line)
                told = self._evaluator.records.structured(cls, words["node"], at)
                return cls if told is not None and not others else None
        return None

    def _filled(self, by: str, name: str, scope: FunctionNode, frame: Frame, world: World) -> list[Outcome]:
        """The object that a command line fills for a parameter which is annotated with a record."""
        taken = [each for each in parameters(scope) if each.arg == name and each.annotation is not None]
        if not taken or taken[0].annotation is None or frame.outer is None:
            return []
        annotation, default = taken[0].annotation, default_of(name, scope)
        if not any(
            isinstance(value, Class) and is_record(value.node) for value in self._values(annotation, frame)
        ):
            return []
        point = Point(frame.outer, None)
        # What a default was made with is asked for, unless the user asks for something else.
        plain = default is None or (
            isinstance(default, ast.Call)
            and not default.args
            and not default.keywords
            and ast.dump(default.func) == ast.dump(annotation)
        )
        others = {} if plain or default is None else {"default": Argument(default, point)}
        given = Arguments([Argument(annotation, point)], others)
        return [(Made(by, taken[0], given, point), world)]

    def _called_by(self, scope: FunctionNode, frame: Frame) -> str | None:
        """What calls a function with what the command line says."""
        if id(scope) not in self._called:
            self._called[id(scope)] = None  # should what is looked at lead here again
            calls = TYPER_APP if self._is_typers(scope, frame) else next(self._calls(scope, frame), None)
            if calls is None and self._is_lightnings(scope, frame):
                calls = LIGHTNING_CLI
            self._called[id(scope)] = calls
        return self._called[id(scope)]

    def _is_typers(self, scope: FunctionNode, frame: Frame) -> bool:
        """Whether the only decorator is ``@app.command()``, of an app of typer's."""
        if len(scope.decorator_list) != 1:
            return False
        decorator = scope.decorator_list[0]
        return (
            isinstance(decorator, ast.Call)
            and isinstance(decorator.func, ast.Attribute)
            and decorator.func.attr == "command"
            and any(
                isinstance(value, Made) and value.name == TYPER_APP
                for value in self._values(decorator.func.value, frame)
            )
        )

    def _is_lightnings(self, scope: FunctionNode, frame: Frame) -> bool:
        """Whether Lightning makes the objects of a class, with what the command line says: a
        ``LightningCLI`` is given the class, or none, and nothing in the program changes the defaults."""
        owner, index = frame.owner, self._evaluator.modules.index
        if owner is None or scope.name != "__init__" or scope.decorator_list:
            return False
        if not index.mentioning("LightningCLI") or any(map(index.mentioning, CHANGES_PARSER)):
            return False
        libraries = self._evaluator.classes.libraries(owner)
        given = _GIVEN_TO_CLI[DATA_MODULE in libraries] if HOOKED & libraries else None
        return given is not None and any(
            self._may_make(owner, call, given, point) for call, point in self._lightning_clis()
        )

    def _lightning_clis(self) -> Iterator[tuple[ast.Call, Point]]:
        """The calls of ``LightningCLI``, or of a class that is derived from it."""
        index, modules = self._evaluator.modules.index, self._evaluator.modules
        names = {"LightningCLI"}
        for relative in index.deriving("LightningCLI"):
            module = modules.get(relative)
            for each in module.tree.body if module is not None else ():
                if isinstance(each, ast.ClassDef) and any(
                    "LightningCLI" in ast.unparse(b) for b in each.bases
                ):
                    names.add(each.name)
        for name in sorted(names):
            for relative in index.mentioning(name):
                module = None if index.is_test(relative) else modules.get(relative)
                for trail in module.paths_to(name, called=True) if module is not None else ():
                    call = trail[-2] if len(trail) > 1 else None
                    if module is not None and isinstance(call, ast.Call) and call.func is trail[-1]:
                        yield call, self._evaluator.sites.point_of(module, trail[:-1])

    def _may_make(self, owner: Class, call: ast.Call, given: tuple[int, str], point: Point) -> bool:
        """Whether a ``LightningCLI`` makes objects of a class, or of those that the command line names."""
        words = given_by_name(call)
        if words.keys() & {None, "args", "parser_kwargs"} or any(
            isinstance(each, ast.Starred) for each in call.args
        ):
            return False
        at, word = given
        made = call.args[at] if at < len(call.args) else words.get(word)
        if made is None:
            return True
        return any(
            isinstance(value, Class)
            and any(above.node is owner.node for above in self._evaluator.classes.line(value))
            for value, _ in self._evaluator.values(made, point)
        )

    def _calls(self, scope: FunctionNode, frame: Frame) -> Iterator[str]:
        """What the module hands the function to that calls it with the command line: ``Fire(main)``."""
        module = frame.module
        if scope.decorator_list or scope not in module.tree.body:
            return
        for word, name in CALLS_WITH_OPTIONS.items():
            if name.partition(".")[0] not in module.text:
                continue
            for trail in module.paths_to(word, called=True):
                call = trail[-2] if len(trail) > 1 else None
                if (
                    not isinstance(call, ast.Call)
                    or call.func is not trail[-1]
                    or not _hands(call, scope.name)
                ):
                    continue
                if name in FILLS_FIELDS and {word.arg for word in call.keywords} - ONLY_TELL_COMMANDS:
                    continue
                if any(self._is_external(value, {name}) for value in self._values(call.func, frame)):
                    yield name

    def _values(self, node: ast.expr, frame: Frame) -> list[Value]:
        if frame.outer is None:
            return []
        return [value for value, _ in self._evaluator.values(node, Point(frame.outer, None))]

    @staticmethod
    def _is_external(value: Value, names: set[str] | frozenset[str]) -> bool:
        return isinstance(value, External) and value.name in names


def _is_clicks(value: Value) -> bool:
    return isinstance(value, External) and value.name.startswith(CLICK)


def _told_default(call: ast.Call) -> ast.expr | None:
    """The same of an option of which nothing else changes what the function gets."""
    given = given_by_name(call)
    if None in given or CLICK_CHANGES.intersection(filter(None, given)):
        return None
    return _click_default(call, given)


def _click_default(call: ast.Call, given: dict[str | None, ast.expr]) -> ast.expr | None:
    """What an option of click's is where nobody asks for it: a flag is False."""
    default, is_flag, kind = given.get("default"), given.get("is_flag"), given.get("type")
    if is_flag is not None and not (isinstance(is_flag, ast.Constant) and is_flag.value is True):
        return None
    if is_text(default):
        made = dotted(kind.func if isinstance(kind, ast.Call) else kind) if kind is not None else "str"
        # What its type makes of another text is not told.
        return default if (made or "").rpartition(".")[2] in _TEXTS else None
    if default is None and (is_flag is not None or any("/" in flag for flag in flags_of(call))):
        return ast.Constant(value=False)
    return default


def _words(node: ast.AST) -> dict[str, ast.expr]:
    """The keywords of a call that has nothing else."""
    if not isinstance(node, ast.Call) or node.args:
        return {}
    return {word.arg or "**": word.value for word in node.keywords}


def _is_constant(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value == value


def _hands(call: ast.Call, name: str) -> bool:
    """Whether a call is given a function by its name, and nothing else that matters."""
    return bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == name


def _kept_as(call: ast.Call) -> str | None:
    """The parameter that an option of click's is passed as: a name without dashes, else the longest flag."""
    flags = flags_of(call)
    if len(flags) != len(call.args):
        return None
    names = [flag for flag in flags if flag.isidentifier()]
    if names:
        return names[0]
    long = [flag for flag in flags if flag.startswith("--")] or flags
    on = long[0].partition("/")[0].strip() if long else ""  # ``--keep/--no-keep``
    return on.lstrip("-").replace("-", "_").lower() or None
