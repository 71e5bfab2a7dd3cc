"""Options of command lines: what ``args.workers`` is where the user asks for nothing else.

A default is a known value that the user may change: both are possible. Only numbers and None are told, since
what is unknown is true or false already.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from dlint.evaluation.questions import begun
from dlint.knowledge.commands import DECLARES_NUMBER, FILLS_FIELDS, FLAG, HYDRA, PARSED, PARSER
from dlint.knowledge.loading import OPEN_SETTINGS
from dlint.knowledge.names import ENVIRONMENT
from dlint.knowledge.trainers import DEFAULTS, SETTINGS
from dlint.project.configuration.hydra_files import number_in
from dlint.source.declared_options import (
    NotTold,
    declarations,
    default_set,
    in_words,
    is_users_line,
    set_afterwards,
)
from dlint.source.module import Module
from dlint.source.statements import dotted
from dlint.values.facts import NOTHING, fits
from dlint.values.frame import Point
from dlint.values.values import Class, Const, External, Items, Key, Made, Unknown, Value
from dlint.values.worlds import HERE, OPTION, World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator
    from dlint.values.outcomes import Outcome

# What may set options whose names it is given, or has at hand. An object's own attributes are no options.
_SETS_BY_NAME = re.compile(
    r"\bsetattr\((?!self\b)|(?:\bvars\((?!self\b)[\w.]+\)|(?<!\bself)\.__dict__)\s*(?:\.update|\[[^]\n]*\]\s*(?:=(?!=)|[-+*/|]=))"
)
_NOTHING_GIVEN = Const(None)
# What a flag is that nobody gives.
_FLAGS: dict[object, bool] = {"store_true": False, "store_false": True}
# What a user asks for is called after the function that reads it, as what that function gives.
ASKED = "sys.argv"
_ASKED = re.compile(
    rf"(?:{'|'.join(map(re.escape, (PARSED, ASKED, HYDRA, *sorted(FILLS_FIELDS))))})\(\)\.(?P<option>[\w.]+)"
)


class Asks:
    """The words of a line are what the user of the command asks for."""


_Line: TypeAlias = "list[str] | Asks | None"


class Unasked(NamedTuple):
    """What a number that somebody may ask for is called, and what it is where nobody does, if that is
    known."""

    words: str
    default: Const | None


class Asked(NamedTuple):
    """An option or a setting that is not its default in a world, and what the world assumes of it alone."""

    value: External
    default: Const
    alone: World


def option_of(value: Value) -> str | None:
    """The name of the option that a value is read from: whatever the user asks for."""
    asked = _ASKED.fullmatch(value.name) if isinstance(value, External) else None
    return asked["option"] if asked is not None else None


def setting_of(value: Value) -> str | None:
    """The name of the setting that a value is read from: one that the project sets, and a user's file may
    change."""
    made = value.owner if isinstance(value, External) else None
    if not isinstance(value, External) or made is None or made.name not in OPEN_SETTINGS:
        return None
    name = value.name.removeprefix(f"{made.name}().")
    return name if all(part.isidentifier() for part in name.split(".")) else None


def may_be(default: ast.expr | None, otherwise: External, choice: Key, world: World) -> list[Outcome]:
    """A default, or what the user asks for instead; nothing where the default is not written out."""
    if not isinstance(default, ast.Constant) or not _is_told(default):
        return []
    possible: tuple[tuple[bool, Value], ...] = ((False, Const(default.value)), (True, otherwise))
    return [
        (value, world.assuming(choice, asked))
        for asked, value in possible
        if world.known(choice) in (None, asked)
    ]


def still_parser(evaluator: Evaluator, node: ast.AST, point: Point, world: World) -> list[Outcome]:
    """The parser that a call of something unknown is given, and whose name then stands for what it gives:
    ``parser = deepspeed.add_config_arguments(parser)``."""
    match point.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if call is node:
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            for argument in given:
                if isinstance(argument, ast.Name) and argument.id == name:
                    found = evaluator.values(argument, point, world)
                    whole = all(isinstance(value, Made) and value.name == PARSER for value, _ in found)
                    return found if whole else []
    return []


def _line(value: Value) -> _Line:
    """The words of a line as a parser reads it."""
    match value:
        case Const(value=None):
            return Asks()
        case Items(kind="list" | "tuple", items=items, open=False):
            words = [item.value for item in items if isinstance(item, Const) and isinstance(item.value, str)]
            return words if len(words) == len(items) else None
    return None


def _name_and_default(call: ast.Call) -> tuple[str, Const] | None:
    """What a call reads, and what it gives where that is not there."""
    if not 1 <= len(call.args) + len(call.keywords) <= 3:  # of most calls no more need be looked at
        return None
    given = [*call.args, *(each.value for each in call.keywords if each.arg == "default")]
    if len(given) != len(call.args) + len(call.keywords):
        return None
    match call.func, given:
        case (
            (ast.Attribute(attr="get" | "getenv") | ast.Name(id="getenv")),
            [ast.Constant(value=str(name)), *others],
        ):
            match others:
                case []:
                    return name, _NOTHING_GIVEN
                case [ast.Constant(value=default)]:
                    return name, Const(default)
        case (ast.Name(id="getattr"), [_, ast.Constant(value=str(name)), ast.Constant(value=default)]):
            return name, Const(default)
    return None


def _flag_and_default(call: ast.Call) -> tuple[str | None, Const | None]:
    """What a call that declares a flag calls it, and its default."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    name = call.args[0] if call.args else given.get("name")
    default = call.args[1] if len(call.args) > 1 else given.get("default")
    return (str(name.value) if isinstance(name, ast.Constant) else None), _plain(default)


def _is_told(default: ast.expr | None) -> bool:
    return isinstance(default, ast.Constant) and type(default.value) in (int, float, type(None))


class Options:
    """The options that the program declares with ``add_argument``, and by the fields of a dataclass."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._declared: dict[tuple[int, str], ast.expr | None] = {}
        self._changed: dict[tuple[int, str], bool | None] = {}
        self._by_name: dict[int, bool] = {}  # by module, whether it sets options of names that it is given
        self._read: dict[Key, tuple[Made, External]] = {}  # what somebody has asked for, by its key
        self._unasked: dict[Key, Unasked] = {}  # what is read with a default beside it

    def value(self, made: Made, name: str, otherwise: External, world: World) -> list[Outcome]:
        """What an option may be: its default, or anything else."""
        if made.name == PARSED or made.name in FILLS_FIELDS or made.name in OPEN_SETTINGS:
            self._read[otherwise.key] = (made, otherwise)
        if made.name == HYDRA:
            default: ast.expr | None = self._configured(made, name)
        elif made.name in FILLS_FIELDS:
            found = self._evaluator.filled_fields.value(made, name, otherwise, world)
            if found:
                return found
            default = self._field(made, name, world)
        elif made.name == PARSED and made.arguments.all():
            return [
                outcome
                for words, w in self._lines(made, world)
                for outcome in self._from_line(made, name, words, otherwise, w)
            ]
        else:
            default = self._argument(made, name)
        return may_be(default, otherwise, (OPTION, made.key, name), world)

    def _from_line(
        self, made: Made, name: str, words: _Line, otherwise: External, world: World
    ) -> list[Outcome]:
        """What an option may be where a line is parsed."""
        if words is None:
            return [(otherwise, world)]
        default = self._argument(made, name)
        if isinstance(words, Asks):
            return may_be(default, otherwise, (OPTION, made.key, name), world) or [(otherwise, world)]
        declared = _declarations(made, name)
        if len(declared) != 1 or self._is_changed(made, name):
            return [(otherwise, world)]
        try:
            told = in_words(declared[0], words)
        except NotTold:
            return [(otherwise, world)]
        if told is None:
            return [(Const(default.value) if isinstance(default, ast.Constant) else otherwise, world)]
        return [(Const(told), world)]

    def _is_asked(self, made: Made, world: World) -> bool:
        """Whether what a parser reads is what the user of the command writes."""
        return all(isinstance(words, Asks) for words, _ in self._lines(made, world))

    def _lines(self, made: Made, world: World) -> list[tuple[_Line, World]]:
        """What a parser may read: the words of a line that the program has written, what the user asks for,
        or (None) nobody knows what."""
        given = made.arguments
        if not given.all():
            return [(Asks(), world)]
        line = given.keywords.get("args") or (given.positional[0] if given.positional else None)
        if line is None or len(given.all()) != 1:
            return [(None, world)]
        if line.expression is not None and is_users_line(line.expression):
            return [(Asks(), world)]
        return [(_line(value), w) for value, w in self._evaluator.value_of(line, world)]

    def is_kept(self, made: Made, name: str) -> bool:
        """Whether a dict of what was parsed (``vars(args)``) surely has what was parsed under a name: no code
        stores another thing there."""
        if made.name != PARSED or ".update(" in made.point.frame.module.text:
            return False
        stores = re.compile(rf"""\[\s*["']{re.escape(name)}["']\s*\]\s*(?:=(?!=)|[-+*/|]=)""")
        return not any(stores.search(module.text) for module in self._evaluator.modules.mentioning(name))

    def default(self, value: Value, world: World) -> Const | None:
        """What an option, or a setting, is as long as the user does not ask for it; None where that is not
        known."""
        made = value.owner if isinstance(value, External) else None
        name = option_of(value)
        setting = setting_of(value)
        if made is not None and setting is not None:
            return self._set(made, setting.split("."))
        if made is None or name is None or "." in name:
            return None
        if made.name in FILLS_FIELDS:
            return _plain(self._field(made, name, world))
        if made.name != PARSED or not self._is_asked(made, world):
            return None
        module = made.point.frame.module
        declared = _declarations(made, name)
        known = _unasked(declared[0]) if len(declared) == 1 else None
        if known is None or set_afterwards(module, name):
            return None
        return None if self._sets_by_name(module) or self._is_changed(made, name) else known

    def _set(self, made: Made, path: list[str]) -> Const | None:
        """The constant that a project sets in its settings, under one name after the other, if it is one:
        as they are made, or beside that."""
        held: Value = made
        for name in path:
            if not isinstance(held, Made):
                return None
            found = self._evaluator.library.written(held, name, HERE)
            if not found and held.arguments.all():
                return None  # a file's, perhaps
            outside = self._evaluator.attributes.outside
            found = [*found, *outside.of_made(held, name, HERE)]
            values = {value.key: value for value, _ in found}
            if len(values) != 1 or not outside.are_beside(held, name):
                return None
            held = values.popitem()[1]
        return held if isinstance(held, Const) else None

    def read_with_default(self, call: ast.Call, found: list[Outcome]) -> None:
        """Keeps the default that stands in a call beside the name of what is read: ``cfg.get("workers", 0)``,
        ``getattr(args, "workers", 0)``."""
        asked = _name_and_default(call)
        if asked is None:
            return
        name, default = asked
        for value, _ in found:
            if isinstance(value, Unknown | External | Made):
                of_system = isinstance(value, Made) and value.name in ENVIRONMENT
                kind = "environment variable" if of_system else "setting"
                told = Unasked(f"the {kind} {name}", default)
                if self._unasked.setdefault(value.key, told) != told:
                    self._unasked[value.key] = told._replace(default=None)  # one thing here, another there

    def same_number(self, value: Value, number: Value) -> None:
        """Keeps that a number is what it is made of: ``int(os.environ.get("WORKERS", "0"))``."""
        known = self.unasked(value)
        if known is None:
            return
        default = known.default
        if default is not None:
            try:
                default = Const(int(default.value))
            except (TypeError, ValueError, OverflowError):
                default = None
        self._unasked[number.key] = Unasked(known.words, default)

    def unasked(self, value: Value) -> Unasked | None:
        """What the option or the setting is called that a number is read from, and its default."""
        beside = self._unasked.get(value.key)
        option, setting = option_of(value), setting_of(value)
        if isinstance(value, External) and value.name.startswith(FLAG):
            return self._flag(value.name.removeprefix(FLAG))
        if option is not None:
            default = self.written_number(value)
            if beside is not None and not self._is_declared(value, option):
                default = beside.default
            return Unasked(f"the option {option}", default)
        if setting is not None:
            return Unasked(f"the setting {setting}", self.default(value, HERE))
        return beside

    def _flag(self, name: str) -> Unasked | None:
        """A flag of absl that holds a number, by the call that declares it."""
        modules = self._evaluator.modules
        found = [
            trail[-2]
            for relative in modules.index.mentioning(DECLARES_NUMBER)
            for module in [modules.get(relative)]
            if module is not None
            for trail in module.paths_to(DECLARES_NUMBER, called=True)
        ]
        defaults = [
            default
            for call in found
            if isinstance(call, ast.Call)
            for said, default in [_flag_and_default(call)]
            if said == name
        ]
        return Unasked(f"the option {name}", defaults[0]) if len(defaults) == 1 else None

    def _is_declared(self, value: Value, option: str) -> bool:
        made = value.owner if isinstance(value, External) else None
        return made is None or made.name != PARSED or bool(_declarations(made, option))

    def asked(self, world: World) -> Iterator[Asked]:
        """The options and settings that the user must have asked for in a world, as they are not their
        defaults."""
        for made, option in self._read.values():
            name, about = option_of(option), world.about(option.key)
            given = world.known((OPTION, made.key, name)) is True
            if given or about is not NOTHING:
                default = self.default(option, world)
                if default is not None and (given or not fits(default, about)):
                    alone = World().with_about(option.key, about)
                    if given:
                        alone = alone.assuming((OPTION, made.key, name), True)
                    yield Asked(option, default, alone)

    def written_default(self, value: External, world: World) -> ast.expr | None:
        """The default of the option that a value is read from, as ``add_argument`` has it, or the field of a
        dataclass."""
        made, name = value.owner, option_of(value)
        if made is None or name is None:
            return None
        if made.name in FILLS_FIELDS:
            return self._field(made, name, world)
        if made.name != PARSED or not self._is_asked(made, world):
            return None
        module = made.point.frame.module
        default = _default(made, name)
        return None if self._sets_by_name(module) or self._is_changed(made, name) else default

    def written_number(self, value: Value) -> Const | None:
        """The default that ``add_argument`` has for an option, whatever the program stores in it afterwards;
        None where no parser of argparse has it."""
        made, name = (value.owner, option_of(value)) if isinstance(value, External) else (None, None)
        if made is None or name is None or made.name != PARSED:
            return None
        declared = _declarations(made, name)
        if len(declared) != 1:
            return None
        after = default_set(made.point.frame.module, declared[0])
        return _unasked(declared[0]) if after is None else _plain(after)

    def below(self, base: External, name: str, otherwise: External, world: World) -> list[Outcome]:
        """The same of a key below others: ``cfg.data.workers``."""
        start = f"{HYDRA}()."
        if not isinstance(base.owner, Made) or not base.name.startswith(start):
            return []
        return self.value(base.owner, f"{base.name[len(start) :]}.{name}", otherwise, world)

    def _argument(self, made: Made, name: str) -> ast.expr | None:
        """The default that ``add_argument`` says, where an option is that if nobody asks for anything: no
        function changes what was parsed."""
        if made.name != PARSED:
            return None
        module = made.point.frame.module
        mark = (id(made.node), name)
        if mark not in self._declared:
            default = _default(made, name)
            told = _is_told(default) and not self._sets_by_name(module)
            self._declared[mark] = default if told else None
        default = self._declared[mark]
        if default is None or self._is_changed(made, name):
            return None
        return default

    def _sets_by_name(self, module: Module) -> bool:
        known = self._by_name.get(id(module))
        if known is None:
            known = self._by_name[id(module)] = _SETS_BY_NAME.search(module.text) is not None
        return known

    def _is_changed(self, made: Made, name: str) -> bool:
        mark = (id(made.node), name)
        if mark not in self._changed:
            with begun(self._changed, mark, None):
                self._changed[mark] = self._evaluator.attributes.outside.is_set_by_function(made, name)
        known = self._changed[mark]
        if known is None:
            self._evaluator.cut()
        return bool(known)

    def _configured(self, made: Made, path: str) -> ast.expr | None:
        """The number in the YAML file that ``@hydra.main`` names, where no code of the program changes it."""
        index = self._evaluator.modules.index
        if index.stored_elsewhere(path.rpartition(".")[2]) or index.mentioning("OmegaConf.update"):
            return None
        assert isinstance(made.node, ast.Call)
        given = {keyword.arg: keyword.value for keyword in made.node.keywords}
        folder, name = given.get("config_path"), given.get("config_name")
        if not (isinstance(folder, ast.Constant) and isinstance(name, ast.Constant)):
            return None
        home = made.point.frame.module.relative.rpartition("/")[0]
        place = posixpath.normpath(posixpath.join(home, str(folder.value)))
        found = number_in(index.configuration_files, place, str(name.value), tuple(path.split(".")))
        return ast.Constant(found.number) if found is not None else None

    def _field(self, made: Made, name: str, world: World) -> ast.expr | None:
        """The default of a dataclass's field, where the command line fills one object of that class alone."""
        fields = self._evaluator.filled_fields
        cls = fields.cls(made, world)
        if cls is None or not fields.has_own_defaults(made):
            return None
        if self._evaluator.modules.index.stored_elsewhere(name):
            return None
        default = _field_default(cls.node, name) if isinstance(cls, Class) else None
        return default or self._of_library(cls, name)

    def _of_library(self, cls: Class | External, name: str) -> ast.expr | None:
        """The default that a library's class says, or the one that a class of the program is derived from."""
        names = {cls.name} if isinstance(cls, External) else self._evaluator.classes.libraries(cls)
        settings = name in DEFAULTS and bool(names & SETTINGS)
        return ast.Constant(DEFAULTS[name]) if settings else None  # type: ignore[arg-type]


def _field_default(node: ast.ClassDef, name: str) -> ast.expr | None:
    """The default that the body of a dataclass gives a field which nothing changes afterwards."""
    decorators = (each.func if isinstance(each, ast.Call) else each for each in node.decorator_list)
    if not any((dotted(each) or "").rpartition(".")[2] == "dataclass" for each in decorators):
        return None
    if any(isinstance(each, ast.FunctionDef) and each.name == "__post_init__" for each in node.body):
        return None
    found = [
        each.value
        for each in node.body
        if isinstance(each, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in each.targets)
    ]
    return found[0] if len(found) == 1 else None


def _declarations(made: Made, name: str) -> list[ast.Call]:
    frame = made.point.frame
    return declarations(frame.module, name, made.node, frame.scope)


def _default(made: Made, name: str) -> ast.expr | None:
    """The default of an option that is declared once in a file; None where it says none."""
    found = _declarations(made, name)
    if len(found) != 1:
        return None
    module = made.point.frame.module
    if set_afterwards(module, name):
        return default_set(module, found[0])
    given = {keyword.arg: keyword.value for keyword in found[0].keywords}
    return None if None in given or "action" in given else given.get("default")


def _unasked(call: ast.Call) -> Const | None:
    """What the option that an ``add_argument`` declares is where nobody asks for it: a flag, or one whose
    default is written out."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if given.keys() & {None, "required"} or not call.args:
        return None
    action, default = given.get("action"), given.get("default")
    flag = _FLAGS.get(action.value) if isinstance(action, ast.Constant) else None
    if action is not None and flag is None and not _is_switch(action):
        return None
    if isinstance(default, ast.Constant) and isinstance(default.value, str) and not _is_text(given):
        return None  # what its type makes of that: `type=str2bool, default="no"`
    if default is None:
        return Const(flag) if flag is not None else _NOTHING_GIVEN if _is_flag(call) else None
    return _plain(default)


def _is_switch(action: ast.expr) -> bool:
    """Whether an option is turned on and off by two flags: ``--keep`` and ``--no-keep``."""
    return (dotted(action) or "").rpartition(".")[2] == "BooleanOptionalAction"


def _is_text(given: dict[str | None, ast.expr]) -> bool:
    """Whether an option is the text that a user writes."""
    kind = given.get("type")
    return kind is None or (isinstance(kind, ast.Name) and kind.id == "str")


def _is_flag(call: ast.Call) -> bool:
    """Whether the user may leave the option out: it is written with dashes, and is None then."""
    first = call.args[0]
    return isinstance(first, ast.Constant) and str(first.value).startswith("-")


def _plain(node: ast.expr | None) -> Const | None:
    """A constant as it is written, a number below nought too."""
    match node:
        case ast.Constant(value=value):
            return Const(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return Const(-number)
    return None
