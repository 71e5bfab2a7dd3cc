"""What is stored under an attribute of what an expression means, by the way that came: ``args.workers`` where
``args = quick_args()``, ``args = self.args`` or ``no_workers(args)`` stands before.

A path belongs to the object, so it crosses names, calls and the attributes that objects keep others in: what
was stored under it where the object comes from is there, until the scope itself stores something else.
"""

from __future__ import annotations

import ast
from itertools import accumulate
from typing import TYPE_CHECKING

from dlint.knowledge.loading import OPEN_SETTINGS
from dlint.objects.elsewhere.functions import Keeper
from dlint.objects.elsewhere.may_store import MayStore, stores_by_name
from dlint.source.statements import dotted, parameters, self_name
from dlint.values.frame import Arguments, Frame, Point, arguments_of
from dlint.values.values import External, Function, Instance, Key, Made, Unknown, Value

if TYPE_CHECKING:
    from dlint.objects.interface import Evaluator
    from dlint.values.outcomes import Outcome
    from dlint.values.worlds import World

_DEEPEST = 6
_NONE: frozenset[int] = frozenset()


class Members:
    """Questions about attributes that somebody else has stored."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.may_store = MayStore(evaluator.modules)
        # The paths that are asked for elsewhere, each by the id of what has the attribute, or of the function
        # and the path in it.
        self._asked: dict[Key, ast.Attribute] = {}
        self._names: dict[tuple[int, str], ast.Name] = {}  # of modules, by their scope
        self._makers: dict[tuple[Key, str], list[Frame]] = {}

    def of(self, node: ast.expr, attribute: str, point: Point, world: World) -> list[Outcome] | None:
        """The values of ``node.attribute``, which may be a path itself, as it was stored where what ``node``
        means comes from; None where nobody is known to have stored it."""
        if point.frame.depth > _DEEPEST:
            return None
        if isinstance(node, ast.Call):
            return self._of_call(node, attribute, point, world)
        path = dotted(node)
        if path is None or point.locals:
            return None
        layout = point.frame.layout
        while path not in layout.binds:
            if not isinstance(node, ast.Attribute):
                return self._of_unbound(node, attribute, point, world)
            attribute = f"{node.attr}.{attribute}"
            path, node = path.rpartition(".")[0], node.value
        found: list[Outcome] = []
        for statement, w in self._evaluator.flow.definitions(path, point, world):
            at = Point(point.frame, statement)
            value = _assigned(statement, path) if statement is not None else None
            if statement is None:
                held = self._of_unbound(node, attribute, point, w)
            elif isinstance(value, ast.Call):
                held = self._of_call(value, attribute, at, w)
            elif isinstance(value, ast.Name | ast.Attribute):
                # Both are the same object from now on, so later stores under the other name count.
                same = isinstance(value, ast.Name) and value.id not in layout.binds
                now = point if same else at
                mark = (id(value), attribute, id(now.statement))
                held = self._evaluator.values(self._path(mark, value, value, attribute), now, w)
            else:
                return None
            if held is None:
                return None
            found += held
        return found or None

    def changing(self, node: ast.Attribute, frame: Frame) -> frozenset[int]:
        """The statements of a scope, and those around them, that hand the holder of an attribute to functions
        of the program that store in the attribute: ``no_workers(args)``."""
        base = dotted(node.value)
        if base is None or not self._evaluator.modules.index.stored_elsewhere(node.attr):
            return _NONE
        return self.may_store.followed(frame.scope, frame.module, base, node.attr).statements

    def after(self, statement: ast.stmt, node: ast.Attribute, frame: Frame, world: World) -> list[Outcome]:
        """The values of a path after one of these statements."""
        at = Point(frame, statement)
        call = getattr(statement, "value", None)
        assert isinstance(call, ast.Call)
        found: list[Outcome] = []
        for callee, w in self._evaluator.values(call.func, at, world):
            if self._entered(callee, at) is None and not isinstance(callee, External):
                found.append((Unknown(("stored by", id(call), dotted(node), frame.key)), w))
                continue
            stored = self._left_by(callee, call, node, at, w)
            if stored is None:
                # Another expression: that of the node is what is asked.
                before = self._path((id(node), id(statement)), node.value, node)
                stored = self._evaluator.values(before, at, w)
            found += stored
        return found

    def is_stored_otherwise(self, node: ast.Attribute, point: Point) -> bool:
        """Whether a scope may have handed the holder of an attribute to such functions, before a point, in an
        expression that does more: ``if not setup(args):``."""
        base = dotted(node.value)
        if base is None or not self._evaluator.modules.index.stored_elsewhere(node.attr):
            return False
        lines = self.may_store.followed(point.frame.scope, point.frame.module, base, node.attr).otherwise
        return any(point.statement is None or line < point.statement.lineno for line in lines)

    def _left_by(
        self, callee: Value, call: ast.Call, node: ast.Attribute, at: Point, world: World
    ) -> list[Outcome] | None:
        """What stands under a path when a function that was given its holder has returned; None where the
        function does nothing to it."""
        function = self._entered(callee, at)
        if function is None:
            return None
        arguments = arguments_of(call, at)
        name = _name_of(dotted(node.value), function, arguments)
        if name is None:
            return None
        frame = self._evaluator.calls.enter(function, arguments, call, at)
        mark = (id(function.node), name, node.attr)
        inside = self._path(mark, ast.Name(name, ast.Load()), node)
        if f"{name}.{node.attr}" not in frame.layout.binds and not self.changing(inside, frame):
            return None
        found: list[Outcome] = []
        for end, w in self._evaluator.calls.ends(frame, world):
            # Each end asks by an expression of its own: what one and the same is, is remembered.
            left = self._path((*mark, id(end)), ast.Name(name, ast.Load()), node)
            found += self._evaluator.values(left, Point(frame, end), w)
        return found or None

    def _of_call(self, call: ast.Call, attribute: str, point: Point, world: World) -> list[Outcome] | None:
        found: list[Outcome] = []
        for callee, w in self._evaluator.values(call.func, point, world):
            function = self._entered(callee, point)
            if function is None:
                return None
            frame = self._evaluator.calls.enter(function, arguments_of(call, point), call, point)
            held = self._returned(function.node, attribute, frame, w)
            if held is None:
                return None
            found += held
        return found or None

    def _entered(self, callee: Value, point: Point) -> Function | None:
        """A plain function or method of the program that can be followed into."""
        if not isinstance(callee, Function) or not isinstance(callee.node, ast.FunctionDef):
            return None
        if callee.node.decorator_list or point.frame.depth >= _DEEPEST:
            return None
        return None if self._evaluator.calls.shape(callee.node)[2] else callee

    def _returned(
        self, function: ast.AST, attribute: str, frame: Frame, world: World
    ) -> list[Outcome] | None:
        """What stands under an attribute of all that a function returns."""
        assert isinstance(function, ast.FunctionDef)
        found: list[Outcome] = []
        for statement in self._evaluator.calls.shape(function)[0]:
            value, at = statement.value, Point(frame, statement)
            if not isinstance(value, ast.Name | ast.Attribute | ast.Call):
                return None
            path = dotted(value)
            member = self.path(value, attribute)
            own = path is not None and (
                f"{path}.{attribute}" in frame.layout.binds or bool(self.changing(member, frame))
            )
            for w in self._evaluator.flow.reaching(at, world):
                held = self._evaluator.values(member, at, w) if own else self.of(value, attribute, at, w)
                if held is None:
                    return None
                found += held
        return found or None

    def _of_unbound(self, node: ast.expr, attribute: str, point: Point, world: World) -> list[Outcome] | None:
        """The same of what the scope has not bound itself: a parameter, what its object keeps, or a name of
        its module."""
        if not isinstance(node, ast.Name):
            if not isinstance(node, ast.Attribute):
                return None
            return self._of_unbound(node.value, f"{node.attr}.{attribute}", point, world)
        frame = point.frame
        if isinstance(frame.scope, ast.FunctionDef | ast.AsyncFunctionDef):
            own = [each.arg for each in parameters(frame.scope)]
            if "." in attribute and own and node.id == own[0] and frame.owner is not None:
                return self._kept(node, attribute, point, world)
            if node.id in own:
                return self._evaluator.parameters.member(node.id, attribute, frame, world)
        return self._of_module(node.id, attribute, frame, world)

    def _of_module(self, name: str, attribute: str, frame: Frame, world: World) -> list[Outcome] | None:
        """The values of ``name.attribute`` where the module stores it, which reads no further when it has run
        to its end: what its functions find."""
        outer = frame.outer
        while outer is not None and name not in outer.layout.binds:
            outer = outer.outer
        if outer is None or outer.outer is not None:
            return None
        first = self._names.setdefault(
            (id(outer.scope), name), ast.Name(name, ast.Load(), lineno=1, col_offset=0)
        )
        node = self._path((id(outer.scope), name, attribute), first, first, attribute)
        if dotted(node) not in outer.layout.binds and not self.changing(node, outer):
            return None
        end = Point(outer, None)
        for holder, _ in self._evaluator.values(first, end, world):
            if isinstance(holder, Made) and holder.name in OPEN_SETTINGS:
                return None  # what a module sets is what a user's file may change
        if self._evaluator.attributes.outside.is_set_by_others(node, end, outer.scope):
            return [(Unknown(("stored later", outer.key, dotted(node))), world)]
        return self._evaluator.values(node, end, world)

    def _kept(self, own: ast.Name, attribute: str, point: Point, world: World) -> list[Outcome] | None:
        """The values of ``self.name.attribute`` where the object's constructor alone stores what it keeps
        under the name, and what is under that: what the constructor leaves there."""
        name, _, rest = attribute.partition(".")
        last = attribute.split(".")
        keepers = self.may_store.kept(last[-1]).get(last[-2], frozenset())
        found: list[Outcome] = []
        for holder, w in self._evaluator.values(own, point, world):
            frames = self._makers_of(holder, name, rest, point.frame) if isinstance(holder, Instance) else []
            if not frames:
                return None
            *before, frame = frames
            assert isinstance(holder, Instance) and isinstance(frame.scope, ast.FunctionDef)
            first = ast.copy_location(ast.Name(self_name(frame.scope), ast.Load()), own)
            node = self._path((id(frame.scope), "self", attribute), first, own, attribute)
            end = Point(frame, None)
            if any(self._may_change(each, attribute) for each in before) or self._is_stored_later(
                holder, before, keepers, node, end
            ):
                found.append((Unknown(("stored later", holder.key, attribute)), w))
            else:
                found += self._evaluator.values(node, end, w)
        return found or None

    def _is_stored_later(
        self,
        holder: Instance,
        before: list[Frame],
        keepers: frozenset[Keeper],
        node: ast.Attribute,
        end: Point,
    ) -> bool:
        """Whether others than the constructors of an object store in what it keeps once these have: its other
        methods, or code that has the object or what it keeps."""
        line = [cls.node for cls in self._evaluator.classes.line(holder.cls)]
        made = [frame.scope for _, frame in self._evaluator.initialisers.of(holder)]
        ids = set(map(id, made))
        if any(keeper.cls in line and keeper.function not in ids for keeper in keepers):
            return True
        others = {keeper.function for keeper in keepers if keeper.cls is None}
        following = [scope for scope in made if scope not in [each.scope for each in before]]
        outside = self._evaluator.attributes.outside
        return outside.is_set_later(node, end, holder.cls.name, others, following)

    def _may_change(self, frame: Frame, attribute: str) -> bool:
        """Whether a constructor may store under a path of its object in a way that nobody follows."""
        scope = frame.scope
        if not isinstance(scope, ast.FunctionDef) or stores_by_name(frame.module.text_of(scope)):
            return True
        own, may_store = self_name(scope), self.may_store
        name, _, rest = attribute.partition(".")
        return may_store.through(scope, frame.module, own, attribute) or may_store.through(
            scope, frame.module, f"{own}.{name}", rest
        )

    def _makers_of(self, instance: Instance, name: str, rest: str, inside: Frame) -> list[Frame]:
        """The call of the outermost ``__init__`` that stores an attribute, or in what it holds, if no other
        method stores the attribute, behind the calls of those around it; of those that stand behind one that
        is ``inside``."""
        attributes, classes = self._evaluator.attributes, self._evaluator.classes
        mark = (instance.key, name)
        frames = self._makers.get(mark)
        if frames is None:
            storing = attributes.stored.storing(instance, name)
            only = bool(storing) and all(function.name == "__init__" for _, function in storing)
            if (
                not only
                or classes.member(instance.cls, name)
                or attributes.is_set_from_outside(instance, name)
            ):
                frames = []
            else:
                frames = [each for _, each in self._evaluator.initialisers.of(instance)]
            self._makers[mark] = frames
        scopes = [each.scope for each in frames]
        behind = scopes.index(inside.scope) + 1 if inside.scope in scopes else 0
        for at, frame in enumerate(frames[behind:], start=behind):
            own = parameters(frame.scope) if isinstance(frame.scope, ast.FunctionDef) else []
            if not own:
                break
            path = f"{own[0].arg}.{name}"
            paths = accumulate(rest.split("."), "{}.{}".format, initial=path)
            if not frame.layout.binds.isdisjoint(paths):
                return frames[behind : at + 1]
        return []

    def path(self, value: ast.expr, attribute: str) -> ast.Attribute:
        """What a path of attributes of an expression leads to, as an expression."""
        return self._path((id(value), attribute), value, value, attribute)

    def _path(self, mark: Key, value: ast.expr, at: ast.expr, attribute: str | None = None) -> ast.Attribute:
        """An attribute of an expression, or what a path of attributes leads to, as an expression; it stays
        the same for the same mark."""
        node = self._asked.get(mark)
        if node is None:
            if attribute is None:
                assert isinstance(at, ast.Attribute)
                attribute = at.attr
            held: ast.expr = ast.copy_location(value, at)
            for name in attribute.split("."):
                held = ast.copy_location(ast.Attribute(held, name, ast.Load()), at)
            assert isinstance(held, ast.Attribute)
            node = self._asked[mark] = held
        return node


def _assigned(statement: ast.stmt, path: str) -> ast.expr | None:
    """What an assignment gives to a path: ``self.args, self.rows = args, rows``."""
    match statement:
        case ast.AnnAssign(target=target, value=ast.expr() as value) if dotted(target) == path:
            return value
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
            targets
        ) == len(values) and not any(isinstance(each, ast.Starred) for each in (*targets, *values)):
            given = [value for target, value in zip(targets, values, strict=True) if dotted(target) == path]
            return given[0] if len(given) == 1 else None
        case ast.Assign(targets=[target], value=value) if dotted(target) == path:
            return value
    return None


def _name_of(path: str | None, function: Function, arguments: Arguments) -> str | None:
    """The name under which a function gets what the caller has under a path."""
    assert isinstance(function.node, ast.FunctionDef)
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    if function.receiver is not None:
        names = names[1:]
    named = [*zip(names, arguments.positional, strict=False)]
    named += [(name, each) for name, each in arguments.keywords.items() if name in names]
    for name, given in named:
        if given.expression is not None and dotted(given.expression) == path:
            return name
    return None
