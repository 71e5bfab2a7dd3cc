"""Options of command lines: what ``args.workers`` is where the user asks for nothing else.

A default is a known value that the user may change: both are possible. Only numbers and None are told, since
what is unknown is true or false already.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from dlint.evaluation.options.beside import Beside, Unasked
from dlint.evaluation.options.flags import default_in, flag
from dlint.evaluation.options.lines import Asks, is_asked, lines
from dlint.evaluation.options.option import ASKED, is_told, may_be, option_of, setting_of
from dlint.evaluation.questions import begun
from dlint.knowledge.commands import (
    DECLARED_NUMBER,
    DECLARES_NUMBER,
    FILLS_FIELDS,
    FLAG,
    FLAGS,
    HYDRA,
    MADE_BY_CLASS,
    PARSED,
)
from dlint.knowledge.loading import OPEN_SETTINGS
from dlint.knowledge.trainers import DEFAULTS, SETTINGS
from dlint.project.configuration.hydra_files import plain_in
from dlint.regex import regex
from dlint.source.declared_options import (
    NotTold,
    declarations,
    default_of,
    default_set,
    in_words,
    plain,
    unasked,
    unasked_in,
)
from dlint.source.module import Module
from dlint.source.statements import assigned_in, given_by_name, head_name
from dlint.values import declared_paths
from dlint.values.declared_paths import is_path
from dlint.values.facts import NOTHING, fits
from dlint.values.frame import Argument, Arguments
from dlint.values.values import Class, Const, External, Key, Made, Value
from dlint.values.worlds import HERE, OPTION, World

if TYPE_CHECKING:
    from dlint.evaluation.interface import Evaluator
    from dlint.evaluation.options.lines import Line
    from dlint.values.outcomes import Outcome

# What may set options whose names it is given, or has at hand. An object's own attributes are no options.
_SETTING = ("vars(", "__dict__")
_SETS_BY_NAME = regex(
    r"(?:\bvars\((?!self\b)[\w.]+\)|(?<!\bself)\.__dict__)\s*(?:\.update|\[[^]\n]{0,300}\]\s*(?:=(?!=)|[-+*/|]=))"
)


class Asked(NamedTuple):
    """An option or a setting that is not its default in a world, and what the world assumes of it alone."""

    value: External
    default: Const
    alone: World


class Options:
    """The options that the program declares with ``add_argument``, and by the fields of a dataclass."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._declared: dict[tuple[int, str], ast.expr | None] = {}
        self._changed: dict[tuple[int, str], bool | None] = {}
        self._paths: dict[tuple[int, str], bool] = {}
        self._by_name: dict[int, bool] = {}  # by module, whether it sets options of names that it is given
        # What somebody has asked for, by its key, with what it is called.
        self._read: dict[Key, tuple[Made, External, str | None]] = {}
        self.beside = Beside(evaluator)

    def value(self, made: Made, name: str, otherwise: External, world: World) -> list[Outcome]:
        """What an option may be: its default, or anything else."""
        found = self._value(made, name, otherwise, world)
        if made.name == PARSED and self._is_path(made, name):
            return declared_paths.declared(found or [(otherwise, world)])
        return found

    def _is_path(self, made: Made, name: str) -> bool:
        """Whether all that declare an option have its word made a path."""
        mark, module = (id(made.node), name), made.point.frame.module
        if mark not in self._paths:
            found = _declarations(made, name) if "pathlib" in module.text else []
            kinds = [k.value for each in found for k in each.keywords if k.arg == "type"]
            self._paths[mark] = bool(found) and len(kinds) == len(found) and all(map(is_path, kinds))
        return self._paths[mark]

    def _value(self, made: Made, name: str, otherwise: External, world: World) -> list[Outcome]:
        if made.name == PARSED or made.name in FILLS_FIELDS or made.name in OPEN_SETTINGS:
            self.read(made, otherwise)
        if made.name in MADE_BY_CLASS:
            return self._evaluator.filled_fields.nested(made, name, world)
        if made.name == DECLARED_NUMBER:
            default: ast.expr | None = default_in(made) if name == "value" else None
        elif made.name == HYDRA:
            default = self._configured(made, name)
        elif made.name in FILLS_FIELDS:
            found = self._evaluator.filled_fields.value(made, name, otherwise, world)
            if found:
                return found
            default = self._field(made, name, world)
        elif made.name == PARSED and made.arguments.all():
            return [
                outcome
                for words, w in lines(self._evaluator, made, world)
                for outcome in self._from_line(made, name, words, otherwise, w)
            ]
        else:
            default = self._argument(made, name)
        return may_be(default, otherwise, (OPTION, made.key, name), world)

    def declared(self, given: Argument, by: ast.expr, name: str, world: World) -> list[Outcome]:
        """What an option may be that ``by`` declares, with a default or none: that, or anything else."""
        if given.point is None:
            return []
        made = Made(ASKED, by, Arguments([given]), given.point)
        otherwise = External(f"{ASKED}().{name}", made)
        self.read(made, otherwise)
        return may_be(given.expression, otherwise, (OPTION, made.key, name), world) or [(otherwise, world)]

    def of_rest(self, rest: Made, name: str, world: World) -> list[Outcome]:
        """The same of one that a dict has among others; nothing where it has none whose default is told, or
        where any code may store another thing there."""
        given = rest.arguments.keywords.get(name)
        if given is None or not isinstance(given.expression, ast.Constant):
            return []
        changes = self._evaluator.held.changes
        if ".update(" in rest.point.frame.module.text or changes.is_stored_by_key(name):
            return []
        return self.declared(given, given.expression, name, world)

    def read(self, made: Made, otherwise: External) -> None:
        """Remember that an option may be asked for: what stands for it, should somebody do so."""
        self._read[otherwise.key] = (made, otherwise, option_of(otherwise))

    def _from_line(
        self, made: Made, name: str, words: Line, otherwise: External, world: World
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

    def is_kept(self, made: Made, name: str) -> bool:
        """Whether a dict of what was parsed (``vars(args)``) surely has what was parsed under a name: no code
        stores another thing there."""
        if made.name != PARSED or ".update(" in made.point.frame.module.text:
            return False
        return not self._evaluator.held.changes.is_stored_by_key(name)

    def default(self, value: Value, world: World) -> Const | None:
        """What an option, or a setting, is as long as the user does not ask for it; None where that is not
        known."""
        made = value.owner if isinstance(value, External) else None
        name = option_of(value)
        setting = setting_of(value)
        if made is not None and setting is not None:
            held = self._set(made, setting.split("."))
            return held if isinstance(held, Const) else None
        if isinstance(value, External) and value.name.startswith(FLAG):
            return self._declared_flag(value.name.removeprefix(FLAG))
        if made is None or name is None or "." in name:
            return None
        if made.name == DECLARED_NUMBER:
            return _const(plain(default_in(made)))
        if made.name in FILLS_FIELDS:
            return _const(plain(self._field(made, name, world)))
        if made.name == ASKED:
            [given] = made.arguments.positional
            return _const(plain(given.expression))
        if made.name != PARSED or not is_asked(self._evaluator, made, world):
            return None
        module = made.point.frame.module
        known = _const(unasked_in(module, _declarations(made, name)))
        if known is None or self._is_set_by_name(made, name, known.value) or self._is_changed(made, name):
            return None
        return known

    def by_default(self, value: Value, world: World) -> Const | None:
        """The same, of a setting only where nothing of the project's sets one that is called so: no code by
        its name, and none of the files that are read into the settings."""
        if setting_of(value) is None:
            return self.default(value, world)
        held = self.set_by_default(value)
        return held if isinstance(held, Const) else None

    def set_by_default(self, value: Value) -> Value | None:
        """The same of a setting alone, be it no constant: ``cfg.device = torch.device("cuda")``."""
        setting, made = setting_of(value), value.owner if isinstance(value, External) else None
        if setting is None or made is None:
            return None
        name, changes = setting.rpartition(".")[2], self._evaluator.held.changes
        original = self._evaluator.held.copied(made) or made
        if changes.may_be_by_code(original, name) or not changes.are_left_by_files(original, name):
            return None
        return self._set(made, setting.split("."))

    def _set(self, made: Made, path: list[str]) -> Value | None:
        """What a project sets in its settings, under one name after the other: as they are made, or beside
        that."""
        original = self._evaluator.held.copied(made)
        if original is not None:
            stored = self._evaluator.attributes.outside.of_made(made, path[0], HERE)
            return None if stored else self._set(original, path)
        held: Value = made
        for name in path:
            if not isinstance(held, Made):
                return None
            found = self._evaluator.held.written(held, name, HERE)
            if not found and held.arguments.all():
                return None  # a file's, perhaps
            outside = self._evaluator.attributes.outside
            found = [*found, *outside.of_made(held, name, HERE)]
            values = {value.key: value for value, _ in found}
            if len(values) != 1 or not outside.are_beside(held, name):
                return None
            held = values.popitem()[1]
        return held

    def unasked(self, value: Value) -> Unasked | None:
        """What the option or the setting is called that a number is read from, and its default."""
        beside = self.beside.unasked(value)
        option, setting = option_of(value), setting_of(value)
        if isinstance(value, External) and value.name.startswith(FLAG):
            return flag(self._evaluator.modules, value.name.removeprefix(FLAG))
        if option is not None:
            default = self.written_number(value)
            if beside is not None and not self._is_declared(value, option):
                default = beside.default
            return Unasked(f"the option {option}", default)
        if setting is not None:
            return Unasked(f"the setting {setting}", self.default(value, HERE))
        return beside

    def _is_declared(self, value: Value, option: str) -> bool:
        made = value.owner if isinstance(value, External) else None
        return made is None or made.name != PARSED or bool(_declarations(made, option))

    def asked(self, world: World) -> Iterator[Asked]:
        """The options and settings that the user must have asked for in a world, as they are not their
        defaults."""
        for made, option, name in self._read.values():
            about = world.about(option.key)
            given = world.known((OPTION, made.key, name)) is True
            if given or about != NOTHING:
                default = self.default(option, world)
                if default is not None and (given or not fits(default, about)):
                    alone = World().with_about(option.key, about)
                    if given:
                        alone = alone.assuming((OPTION, made.key, name), True)
                    yield Asked(option, default, alone)

    def written_default(self, value: External, world: World) -> ast.expr | None:
        """The default of the option that a value is read from, as ``add_argument`` has it, the field of a
        dataclass, or a file of Hydra's."""
        made, name = value.owner, option_of(value)
        if made is None or name is None:
            return None
        if made.name == HYDRA:
            return self._configured(made, name)
        if made.name in FILLS_FIELDS:
            return self._field(made, name, world)
        if made.name != PARSED or not is_asked(self._evaluator, made, world):
            return None
        default = _default(made, name)
        told = default.value if isinstance(default, ast.Constant) else None
        return None if self._is_set_by_name(made, name, told) or self._is_changed(made, name) else default

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
        return _const(unasked(declared[0]) if after is None else plain(after))

    def below(self, base: External, name: str, otherwise: External, world: World) -> list[Outcome]:
        """The same of a key below others: ``cfg.data.workers``."""
        if base.name == FLAGS and base.owner is None:
            return self._flag(name, otherwise, world)
        start = f"{HYDRA}()."
        if not isinstance(base.owner, Made) or not base.name.startswith(start):
            return []
        return self.value(base.owner, f"{base.name[len(start) :]}.{name}", otherwise, world)

    def _flag(self, name: str, otherwise: External, world: World) -> list[Outcome]:
        """What a flag of absl may be, which no code stores."""
        default = self._declared_flag(name)
        return (
            []
            if default is None
            else may_be(ast.Constant(default.value), otherwise, (OPTION, FLAGS, name), world)
        )

    def _declared_flag(self, name: str) -> Const | None:
        """The default of a number that absl declares and no code stores."""
        index = self._evaluator.modules.index
        declared = flag(self._evaluator.modules, name) if index.mentioning(DECLARES_NUMBER) else None
        return None if declared is None or index.stored_elsewhere(name) else declared.default

    def _argument(self, made: Made, name: str) -> ast.expr | None:
        """The default that ``add_argument`` says, where an option is that if nobody asks for anything: no
        function changes what was parsed."""
        if made.name != PARSED:
            return None
        mark = (id(made.node), name)
        if mark not in self._declared:
            default = _default(made, name)
            self._declared[mark] = default if is_told(default) else None
        default = self._declared[mark]
        if not isinstance(default, ast.Constant) or self._is_set_by_name(made, name, default.value):
            return None
        return None if self._is_changed(made, name) else default

    def _is_set_by_name(self, made: Made, name: str, default: Any) -> bool:
        """Whether the file that parses options may set one of them by a name that does not stand there."""
        module = made.point.frame.module
        outside = self._evaluator.attributes.outside
        return self._sets_by_name(module) or (
            "setattr(" in module.text and outside.may_be_set_by_name(made, name, filled=default is not None)
        )

    def _sets_by_name(self, module: Module) -> bool:
        known = self._by_name.get(id(module))
        if known is None:
            text = module.text  # what the pattern needs is found sooner than what it matches
            known = any(word in text for word in _SETTING) and _SETS_BY_NAME.search(text) is not None
            self._by_name[id(module)] = known
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
        """The number or device in the YAML file that ``@hydra.main`` names, where no code of the program
        changes it."""
        index = self._evaluator.modules.index
        if index.stored_elsewhere(path.rpartition(".")[2]) or index.mentioning("OmegaConf.update"):
            return None
        assert isinstance(made.node, ast.Call)
        given = given_by_name(made.node)
        folder, name = given.get("config_path"), given.get("config_name")
        if not (isinstance(folder, ast.Constant) and isinstance(name, ast.Constant)):
            return None
        home = made.point.frame.module.relative.rpartition("/")[0]
        place = posixpath.normpath(posixpath.join(home, str(folder.value)))
        found = plain_in(index.configuration_files, place, str(name.value), tuple(path.split(".")))
        return ast.Constant(found.value) if found is not None else None

    def _field(self, made: Made, name: str, world: World) -> ast.expr | None:
        """The default of a dataclass's field, where the command line fills one object of that class alone."""
        fields = self._evaluator.filled_fields
        cls = fields.cls(made, world)
        if cls is None or not fields.has_own_defaults(made):
            return None
        if isinstance(cls, Class) and fields.is_set(cls.node, name):
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
    if not any(head_name(each) == "dataclass" for each in node.decorator_list):
        return None
    found = assigned_in(node.body, name)
    return found[0] if len(found) == 1 else None


def _declarations(made: Made, name: str) -> list[ast.Call]:
    frame = made.point.frame
    return declarations(frame.module, name, made.node, frame.scope)


def _default(made: Made, name: str) -> ast.expr | None:
    """The default of an option that is declared once in a file; None where it says none."""
    found = _declarations(made, name)
    return default_of(made.point.frame.module, found[0]) if len(found) == 1 else None


def _const(node: ast.Constant | None) -> Const | None:
    return Const(node.value) if node is not None else None
