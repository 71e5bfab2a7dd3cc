"""Sites: where the program calls a function.

They are found from the text, as points are: first the calls that may be meant, then what each is of.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.calls.indirect.by_class import sites_by_class
from dlint.calls.indirect.by_name import sites_by_name
from dlint.calls.indirect.by_object import CALL, is_called, object_calls, speaks_of_loaders
from dlint.calls.indirect.by_text import ByText
from dlint.calls.indirect.handed_on import Decorators, Way, Ways
from dlint.calls.indirect.starting import calls_through, handed_over, started
from dlint.calls.parameters.written import is_static
from dlint.calls.points import Points
from dlint.calls.site import Site
from dlint.evaluation.questions import begun
from dlint.objects.initialisers import base_init_calls
from dlint.source.desugaring.records import AFTER_INIT
from dlint.source.expected_errors import expects_error
from dlint.source.module import Module
from dlint.source.statements import FunctionNode, call_of, functions_in, is_self, self_name, statements_in
from dlint.values.frame import Arguments, Frame, Point, arguments_of
from dlint.values.methods import is_property
from dlint.values.values import Class, Function, Instance, Key, Partial

if TYPE_CHECKING:
    from dlint.calls.interface import Evaluator
    from dlint.values.worlds import World

# Of more files that write a function's name the nearest are looked at: there may be other callers.
_MOST_FILES = 24
_MOST_HEIRS = 24


class Sites(Points):
    """The calls of the program's functions."""

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator)
        self._known: dict[int, list[Site]] = {}
        self._done: set[int] = set()
        self._partly: set[int] = set()
        self._by_text = ByText(evaluator)
        self._decorators: Decorators = {}
        self.ranks: set[Key] = set()  # what libraries pass first to the functions that they start

    def of(self, scope: FunctionNode, frame: Frame) -> list[Site]:
        """The program's calls of a function, method or (for ``__init__``) class; not those that a test
        expects to raise."""
        found = self._known.get(id(scope))
        if found is None:
            with begun(self._known, id(scope), list[Site]()) as found:
                self._find(scope, frame, found)
            self._done.add(id(scope))
        return found

    def of_lambda(self, scope: ast.Lambda, frame: Frame) -> list[Site]:
        """The calls of a lambda, in its own file, by the name that an assignment gives it; none where it has
        no name."""
        found = self._known.get(id(scope))
        if found is None:
            with begun(self._known, id(scope), list[Site]()) as found:
                name = _name_of(scope, frame.outer)
                if name is not None:
                    self._find_by_name(name, scope, frame.module, found)
            self._done.add(id(scope))
        return found

    def _find_by_name(self, name: str, scope: ast.Lambda, module: Module, found: list[Site]) -> None:
        for call, trail in calls_through(module, name):
            point = self.point_of(module, trail)
            if not any(map(expects_error, trail)) and self._meant(call.func, point, scope) is not None:
                found.append(Site(call, point, arguments_of(call, point)))
        index, home = self._evaluator.modules.index, module.relative
        others = {*index.calling(name, home, method=False), *index.knowing(name, home)} - {home}
        if others or index.renaming(name, home) or not all(map(_is_called, module.paths_to(name))):
            self._partly.add(id(scope))  # whoever takes it, or gets it, may call it as well

    def knows(self, scope: FunctionNode) -> bool:
        """Whether the calls of a function have been found, and not only some of them yet."""
        return id(scope) in self._done

    def are_all(self, scope: FunctionNode | ast.Lambda) -> bool:
        """Whether the calls that were found are all that there may be: no file was left out."""
        return id(scope) not in self._partly

    def _find(self, scope: FunctionNode, frame: Frame, found: list[Site]) -> None:
        owner = frame.owner
        name = owner.name if owner is not None and scope.name == "__init__" else scope.name
        index, home = self._evaluator.modules.index, frame.module.relative
        files = index.calling(name, home, method=owner is not None)
        called = [(relative, name) for relative in self._nearest(files, scope, home)]
        if owner is None or scope.name == "__init__":
            renaming = index.renaming(name, home)
            near = self._nearest(list(dict.fromkeys(relative for relative, _ in renaming)), scope, home)
            called += [each for each in renaming if each[0] in near]
        self._find_direct(called, scope, owner, found)
        for relative in self._nearest(index.knowing(name, home), scope, home):
            self._find_indirect(relative, name, scope, frame, found)
        self._find_registered(scope, frame, found)
        if owner is not None and scope.name == "__init__":
            self._find_by_heirs(scope, owner, found)
            found += sites_by_class(self._evaluator, scope, owner, self._heirs(owner)[:_MOST_HEIRS])
        elif owner is not None:
            if scope.name == CALL and speaks_of_loaders(owner):
                self._find_objects(scope, owner, found)
            self._find_by_text(scope, owner, found)
            if not found:
                found += _by_record(scope, owner)
        elif not found:
            found += sites_by_name(self._evaluator, frame.module, scope)

    def _find_objects(self, scope: FunctionNode, owner: Class, found: list[Site]) -> None:
        """The calls of objects whose class, or one below it, has this for what a call of them runs."""
        index, home = self._evaluator.modules.index, owner.module.relative
        heirs = self._heirs(owner)[:_MOST_HEIRS]
        files = [file for cls in (owner, *heirs) for file in index.calling(cls.name, home, method=True)]
        modules = self._evaluator.modules.each(self._nearest(list(dict.fromkeys(files)), scope, home))
        ways = Ways(self._evaluator, self._decorators)
        self._find_on(object_calls(self._evaluator, owner, heirs, list(modules), ways), scope, owner, found)
        if ways.lost:
            self._partly.add(id(scope))

    def _find_by_heirs(self, scope: FunctionNode, owner: Class, found: list[Site]) -> None:
        """The calls of classes that take their constructor from a class, and what others hand on to it."""
        index = self._evaluator.modules.index
        heirs = self._heirs(owner)
        if len(heirs) > _MOST_HEIRS:
            self._partly.add(id(scope))
        for heir in heirs[:_MOST_HEIRS]:
            own = [item for item in functions_in(heir.node.body) if item.name == "__init__"]
            if not own:
                if any(value.node is scope for value in self._initialisers(heir)):
                    home = heir.module.relative
                    files = self._nearest(index.calling(heir.name, home, method=True), scope, home)
                    self._find_direct([(relative, heir.name) for relative in files], scope, owner, found)
                continue
            outer = Frame(heir.module, heir.node, heir.frame)
            frame = Frame(heir.module, own[0], outer, owner=heir)
            for call, statement in base_init_calls(frame):
                point = Point(frame, statement)
                meant = self._meant(call.func, point, scope)
                if meant is not None:
                    arguments = arguments_of(call, point)
                    given = arguments.without_first() if meant.receiver is None else arguments
                    found.append(Site(call, point, given))

    def _heirs(self, cls: Class) -> list[Class]:
        """The classes below a class, at any distance, until there are more than are asked."""
        found: dict[Key, Class] = {}
        waiting = [cls]
        while waiting and len(found) <= _MOST_HEIRS:
            for below in self._evaluator.classes.subclasses(waiting.pop(0), _MOST_HEIRS + 1):
                if below.key not in found:
                    found[below.key] = below
                    waiting.append(below)
        return list(found.values())

    def _initialisers(self, cls: Class) -> list[Function]:
        return [
            value
            for value, _ in self._evaluator.classes.member(cls, "__init__")
            if isinstance(value, Function)
        ]

    def _find_by_text(self, scope: FunctionNode, owner: Class, found: list[Site]) -> None:
        """The calls of a method that is asked for by its name as a text: ``getattr(runner, "train")()``."""
        for module, trail in self._by_text.put_together(scope.name, owner):
            ways = Ways(self._evaluator, self._decorators)
            self._find_on(ways.calls(module, trail), scope, owner, found)
        for call, trail, module in self._by_text.written_out(scope.name):
            site = self._site(call, trail, module, scope, owner)
            if site is not None:
                found.append(site)

    def _nearest(self, files: list[str], scope: FunctionNode, home: str) -> list[str]:
        """The files to be looked at: of many those that may import the function's own, tests last."""
        if len(files) <= _MOST_FILES:
            return files
        self._partly.add(id(scope))
        index = self._evaluator.modules.index
        far = {each: (each != home, not index.reaches(each, home), index.is_test(each)) for each in files}
        return sorted(sorted(files, key=far.__getitem__)[:_MOST_FILES], key=files.index)

    def _find_direct(
        self, called: list[tuple[str, str]], scope: FunctionNode, owner: Class | None, found: list[Site]
    ) -> None:
        for relative, known_as in called:
            module = self._evaluator.modules.get(relative)
            if module is None:
                continue
            for trail in module.paths_to(known_as, called=True):
                called_there = call_of(trail)
                if called_there is not None:
                    call, to_callee = called_there
                    if (owner is None and _on_self(call.func)) or any(map(expects_error, trail)):
                        continue
                    site = self._site(call, to_callee, module, scope, owner)
                    if site is not None:
                        found.append(site)

    def reading(self, scope: ast.FunctionDef, owner: Class) -> list[Site]:
        """The places that read a property, each as the call of it that this is."""
        found: list[Site] = []
        files = list(self._evaluator.modules.index.mentioning(scope.name))
        for module in self._evaluator.modules.each(self._nearest(files, scope, owner.module.relative)):
            for trail in module.paths_to(scope.name):
                node = trail[-1]
                if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
                    continue
                point = self.point_of(module, trail)
                for holder, _ in self._evaluator.values(node.value, point):
                    if isinstance(holder, Instance) and any(
                        getter.node is scope
                        for getter, _ in self._evaluator.classes.properties(holder.cls).get(node.attr, ())
                    ):
                        call = ast.copy_location(ast.Call(node, [], []), node)
                        found.append(Site(call, point, Arguments()))
                        break
        return found

    def receivers(self, site: Site, scope: FunctionNode) -> list[tuple[Instance | Class, World]]:
        """The objects that a call calls a method on, and the classes where it is a class's, each in the world
        in which it is that."""
        found: list[tuple[Instance | Class, World]] = []
        for value, world in self._evaluator.values(site.call.func, site.point):
            if isinstance(value, Function) and value.node is scope:
                if isinstance(value.receiver, Instance | Class):
                    found.append((value.receiver, world))
            elif isinstance(value, Instance) and is_called(self._evaluator, value, scope):
                found.append((value, world))
        return found

    def _find_indirect(
        self, relative: str, name: str, scope: FunctionNode, frame: Frame, found: list[Site]
    ) -> None:
        owner = frame.owner
        # What is only called there is handed to nobody: the file need not even be parsed.
        modules = self._evaluator.modules
        module = modules.get(relative) if modules.index.mentions(relative, name) else None
        if module is None:
            return
        method = owner is not None and scope.name != "__init__"
        if method and is_property(scope):
            return  # to name it is to call it
        ways = Ways(self._evaluator, self._decorators)
        for trail in module.paths_to(name, called=False):
            node = trail[-1]
            if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
                continue
            handed = handed_over(trail)
            if handed is not None:
                call, function = handed
                point = self.point_of(module, trail)
                arguments = started(self._evaluator, call, function, point)
                if arguments is not None:
                    meant = self._meant(function, point, scope)
                    if meant is not None:
                        if owner is not None and meant.receiver is None and not is_static(scope):
                            arguments = arguments.without_first()
                        found.append(Site(call, point, arguments))
                    continue
            if method:
                # Others go by its name: in its own file, and where it is given to a call, that is looked at.
                if not ways.leads_on(trail) or (handed is None and relative != frame.module.relative):
                    continue
                if self._meant(node, self.point_of(module, trail), scope) is None:
                    continue
            self._find_on(ways.calls(module, trail), scope, owner, found)
        if ways.lost:
            self._partly.add(id(scope))

    def _find_registered(self, scope: FunctionNode, frame: Frame, found: list[Site]) -> None:
        """The calls of what decorators of the program keep."""
        owner = frame.owner
        made = owner is not None and scope.name == "__init__"
        decorated = owner.node if owner is not None and made else scope
        if decorated.decorator_list and (owner is None or made):
            point = Point(self._evaluator.modules.frame(frame.module), None)
            ways = Ways(self._evaluator, self._decorators)
            self._find_on(ways.registered(decorated.decorator_list, point), scope, owner, found)
            if ways.lost:
                self._partly.add(id(scope))

    def _find_on(
        self, ways: Iterator[Way], scope: FunctionNode, owner: Class | None, found: list[Site]
    ) -> None:
        for call, way, module in ways:
            site = self._site(call, way, module, scope, owner)
            if site is not None and not any(site.call is each.call for each in found):
                found.append(site)

    def _meant(self, node: ast.expr, point: Point, scope: FunctionNode | ast.Lambda) -> Function | None:
        for value, _ in self._evaluator.values(node, point):
            if isinstance(value, Function) and value.node is scope:
                return value
        return None

    def _site(
        self, call: ast.Call, trail: list[ast.AST], module: Module, scope: FunctionNode, owner: Class | None
    ) -> Site | None:
        point = self.point_of(module, trail)
        arguments = self._evaluator.calls.lazy.told(call, point)
        for value, _ in self._evaluator.values(call.func, point):
            while isinstance(value, Partial):
                arguments, value = arguments.after(value.arguments), value.callee
            if isinstance(value, Class) and owner is not None and scope.name == "__init__":
                if any(above.node is owner.node for above in self._evaluator.classes.line(value)):
                    return Site(call, point, arguments)
            elif isinstance(value, Function) and value.node is scope:
                if owner is not None and value.receiver is None and not is_static(scope):
                    arguments = arguments.without_first()
                return Site(call, point, arguments)
            elif scope.name == CALL and is_called(self._evaluator, value, scope):
                return Site(call, point, arguments)
        if owner is not None and self._is_of_heir(call.func, point, scope, owner):
            return Site(call, point, arguments_of(call, point))
        return None

    def _is_of_heir(self, callee: ast.expr, point: Point, scope: FunctionNode, owner: Class) -> bool:
        """Whether a method calls on its own object what a class below has in place of what its own class has:
        ``self.prepare()`` in the constructor of the base."""
        inside, above = point.frame.scope, point.frame.owner
        if not isinstance(inside, FunctionNode) or above is None or above.node is owner.node:
            return False
        if not (isinstance(callee, ast.Attribute) and callee.attr == scope.name):
            return False
        if not (isinstance(callee.value, ast.Name) and callee.value.id == self_name(inside)):
            return False
        classes = self._evaluator.classes
        if all(each.node is not above.node for each in classes.line(owner)):
            return False
        for each in classes.line(owner):
            if each.node is above.node:
                return True
            own = next((one for one in functions_in(each.node.body) if one.name == inside.name), None)
            if own is not None and "super(" not in each.module.text_of(own):
                return False
        return False


def _name_of(scope: ast.Lambda, outer: Frame | None) -> str | None:
    """The name that a function or a module gives a lambda: ``make = lambda data: DataLoader(data)``."""
    if outer is None or not isinstance(outer.scope, FunctionNode | ast.Module):
        return None
    for statement in statements_in(outer.scope.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is scope:
                return name
    return None


def _is_called(trail: list[ast.AST]) -> bool:
    """Whether a name is only bound where a trail ends, or called."""
    match trail[-1]:
        case ast.Name(ctx=ast.Load()) as name:
            above = trail[-2]
            return isinstance(above, ast.Call) and above.func is name
    return isinstance(trail[-1], ast.Name)


def _on_self(callee: ast.expr) -> bool:
    """Whether a call is of a method of the object itself: no function outside a class."""
    return isinstance(callee, ast.Attribute) and is_self(callee.value)


def _by_record(scope: FunctionNode, owner: Class) -> list[Site]:
    """The call by which the constructor that is written out for a dataclass hands on to ``__post_init__``
    what its objects do not keep (``InitVar``)."""
    found: list[Site] = []
    if scope.name in AFTER_INIT and len(scope.args.args) > 1:
        for made in functions_in(owner.node.body):
            frame = Frame(owner.module, made, Frame(owner.module, owner.node, owner.frame), owner=owner)
            for statement in made.body if made.name == "__init__" else ():
                match statement:
                    case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name)) as call) if (
                        name == scope.name
                    ):
                        point = Point(frame, statement)
                        found.append(Site(call, point, arguments_of(call, point)))
    return found
