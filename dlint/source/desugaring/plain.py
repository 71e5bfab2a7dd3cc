"""Statements made plain when a file is parsed, so that whoever looks for one kind need know no other.

``self.pool: ThreadPool = ThreadPool(4)`` does what it does without the annotation, ``a, b = x, y`` is two
assignments, a ``match`` of constants and classes is an ``if`` with ``elif``, and what stores in attributes of
``self`` by names that are written out (``self.__dict__.update(pool=ThreadPool(4))``) assigns to them. What a
``__new__`` stores in the object that it makes, an ``__init__`` does.
"""

from __future__ import annotations

import ast
from bisect import bisect_left

from dlint.regex import regex
from dlint.source.desugaring.made_by_new import write_out_new
from dlint.source.desugaring.named_tuples import as_class, derive_plainly
from dlint.source.desugaring.records import write_out_init
from dlint.source.desugaring.stores_by_name import stores_by_name
from dlint.source.statements import dotted

# Where such a statement may start: what is not below one of these lines need not be looked at. It may stand
# behind what it is the body of (``def __init__(self, a, b): self.a, self.b = a, b``), or behind another.
_MAY_START = regex(  # not ^, which the search would try at every character
    r"(?:\n[ \t\f]*|[:;][ \t]*)(?:[\w.]+[ \t]*:[ \t]*[^\s#]|[\w.(\[][\w. \t]*,[^\n=:;]*=(?!=)|match\b"
    r"|(?:class[ \t]+\w+[ \t]*\(|\w+[ \t]*=)[ \t]*(?:collections\.|typing\.)?[nN]amed_?[tT]uple\("
    r"|self\.(?:__dict__\b|add_module\(|register_(?:buffer|module|parameter)\()|vars\(self\)"
    r"|(?:object\.__)?setattr(?:__)?\(self\b|def __new__\()"
)
_LINE_END = regex(r"\r\n?|\n")
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def made_plain(tree: ast.Module, text: str) -> ast.Module:
    """The tree, with plain statements in place of what does the same."""
    lines: list[int] = []
    line, end = 1, 0
    returns = "\r" in text
    for match in _MAY_START.finditer("\n" + text):
        if returns:
            line += len(_LINE_END.findall(text, end, match.start()))
        else:
            line += text.count("\n", end, match.start())
        end = match.start()
        lines.append(line)
    if lines:
        _rewrite(tree, lines)
    return tree


def _rewrite(node: ast.AST, lines: list[int]) -> None:
    for field in _BLOCKS:
        block = getattr(node, field, None)
        if not isinstance(block, list):
            continue
        longer: dict[int, list[ast.stmt]] = {}
        for index, child in enumerate(block):
            if isinstance(child, ast.match_case):
                _rewrite(child, lines)
                continue
            next_line = bisect_left(lines, child.lineno)
            if next_line == len(lines) or lines[next_line] > child.end_lineno:
                continue
            if isinstance(child, ast.ClassDef):
                derive_plainly(child)
                write_out_init(child)
                write_out_new(child)
            _rewrite(child, lines)
            match child:
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    block[index] = ast.copy_location(ast.Assign([target], value), child)
                case ast.Assign(targets=[ast.Name()], value=ast.Call()) if isinstance(node, ast.Module):
                    cls = as_class(child)
                    if cls is not None:
                        write_out_init(cls)
                        block[index] = cls
                case ast.Assign(targets=[ast.Tuple() as target], value=ast.Tuple() as values):
                    if _are_apart(target.elts, values.elts):
                        pairs = zip(target.elts, values.elts, strict=True)
                        longer[index] = [ast.copy_location(ast.Assign([t], v), child) for t, v in pairs]
                case ast.Expr(value=ast.Call()) | ast.Assign(targets=[ast.Subscript()]):
                    stores = stores_by_name(child)
                    if stores and _are_apart(
                        [each.targets[0] for each in stores], [each.value for each in stores]
                    ):
                        longer[index] = [*stores]
                case ast.Match():
                    chain = _as_ifs(child)
                    if chain is not None:
                        block[index] = chain
        for index in sorted(longer, reverse=True):
            block[index : index + 1] = longer[index]


def _are_apart(targets: list[ast.expr], values: list[ast.expr]) -> bool:
    """Whether one assignment after the other does what all at once do: no value needs what another target
    was before."""
    if len(targets) != len(values):
        return False
    paths = [dotted(target) for target in targets]
    if None in paths or any(isinstance(value, ast.Starred) for value in values):
        return False
    for index, path in enumerate(paths[:-1]):
        assert path is not None
        root, _, attribute = path.partition(".")
        for value in values[index + 1 :]:
            for node in ast.walk(value):
                if isinstance(node, ast.Name) and node.id == root and not attribute:
                    return False
                # An object that is called, or handed to a call, may look at its attribute there.
                if attribute and isinstance(node, ast.Attribute) and dotted(node) == path:
                    return False
                if attribute and isinstance(node, ast.Call) and _mentions(node, root):
                    return False
    return True


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))


def _as_ifs(statement: ast.Match) -> ast.If | None:
    """A ``match`` that compares with constants and classes, and gives names to what it compares, as an
    ``if``; None where it does more."""
    made: ast.If | None = None
    otherwise: list[ast.stmt] = []
    for case in reversed(statement.cases):
        pattern: ast.pattern | None = case.pattern
        body = case.body
        if isinstance(pattern, ast.MatchAs):
            if pattern.name is not None:
                if case.guard is not None:
                    return None  # it may ask for the name
                target = ast.copy_location(ast.Name(pattern.name, ast.Store()), pattern)
                body = [ast.copy_location(ast.Assign([target], statement.subject), pattern), *body]
            pattern = pattern.pattern
        if pattern is None:
            if case.guard is None:  # the last case
                otherwise = body
                continue
            test = case.guard
        else:
            compared = _test(statement.subject, pattern)
            if compared is None:
                return None
            test = compared
            if case.guard is not None:
                test = ast.copy_location(ast.BoolOp(ast.And(), [compared, case.guard]), pattern)
        made = ast.If(test, body, otherwise)
        made.lineno, made.col_offset = case.pattern.lineno, case.pattern.col_offset
        made.end_lineno, made.end_col_offset = statement.end_lineno, statement.end_col_offset
        otherwise = [made]
    return ast.copy_location(made, statement) if made is not None else None


def _test(subject: ast.expr, pattern: ast.pattern) -> ast.expr | None:
    """The test of a subject that a pattern stands for."""
    match pattern:
        case ast.MatchValue(value=value):
            made: ast.expr = ast.Compare(subject, [ast.Eq()], [value])
        case ast.MatchSingleton(value=value):
            constant = ast.copy_location(ast.Constant(value), pattern)
            made = ast.Compare(subject, [ast.Is()], [constant])
        case ast.MatchClass(cls=cls, patterns=[], kwd_patterns=[]):
            asked = ast.copy_location(ast.Name("isinstance", ast.Load()), pattern)
            made = ast.Call(asked, [subject, cls], [])
        case ast.MatchOr(patterns=patterns):
            tests = [_test(subject, each) for each in patterns]
            if None in tests:
                return None
            made = ast.BoolOp(ast.Or(), [test for test in tests if test is not None])
        case _:
            return None
    return ast.copy_location(made, pattern)
