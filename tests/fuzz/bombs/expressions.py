"""Expressions that are long or deep: each stands where a rule asks for its value."""

from __future__ import annotations

from tests.fuzz.bombs.registry import bomb, item, lines, program

_QUOTES = ("'", '"', "'''", '"""')


@bomb(usual=9_000, large=60_000)
def sum_of_ones(size: int) -> str:
    return program(workers="1" + "+1" * size)


@bomb(usual=9_000, large=60_000)
def sum_in_an_item(size: int) -> str:
    return item("index" + "+index" * size)


@bomb(usual=9_000, large=60_000)
def attributes(size: int) -> str:
    return program("a = object()", workers="a" + ".b" * size)


@bomb(usual=5_000, large=60_000)
def subscripts(size: int) -> str:
    return program("a = []", workers="a" + "[0]" * size)


@bomb(usual=5_000, large=60_000)
def calls_of_calls(size: int) -> str:
    return program("def f():\n    return f\n", workers="f" + "()" * size)


@bomb(usual=3_000, large=60_000)
def methods_of_methods(size: int) -> str:
    """A chain as of a data pipeline."""
    return program(dataset="Items()" + ".map(f)" * size)


@bomb(usual=5_000, large=60_000)
def minuses(size: int) -> str:
    return program(workers="-" * size + "1")


@bomb(usual=5_000, large=60_000)
def nots(size: int) -> str:
    return program(more="shuffle=" + "not " * size + "x")


@bomb(usual=190, large=60_000)
def parentheses(size: int) -> str:
    return program(workers="(" * size + "1" + ")" * size)


@bomb(usual=190, large=60_000)
def brackets(size: int) -> str:
    return program("x = " + "[" * size + "1" + "]" * size, dataset="x" + "[0]" * size)


@bomb(usual=190, large=60_000)
def dictionaries(size: int) -> str:
    return program("x = " + "{'a': " * size + "1" + "}" * size, workers="x" + "['a']" * size)


@bomb(usual=90, large=60_000)
def calls_in_calls(size: int) -> str:
    return program("def f(x):\n    return x\n", workers="f(" * size + "1" + ")" * size)


@bomb(usual=900, large=60_000)
def lambdas(size: int) -> str:
    return program("x = " + "lambda: " * size + "1", more="collate_fn=x", workers="x()()")


@bomb(usual=90, large=60_000)
def comprehensions_in_elements(size: int) -> str:
    made = "[" * size + "1" + "".join(f" for a{i} in range(3)]" for i in range(size))
    return program("x = " + made, dataset="x")


@bomb(usual=90, large=60_000)
def comprehensions_in_sources(size: int) -> str:
    return item("".join(f"[a{i} for a{i} in " for i in range(size)) + "range(3)" + "]" * size)


@bomb(usual=2_000, large=20_000)
def comprehension_of_many_loops(size: int) -> str:
    return item("[0" + lines(" for a{i} in range(2) if a{i}", size) + "]")


@bomb(usual=4, large=400)
def format_strings(size: int) -> str:
    """Below Python 3.12 each level needs quotes of its own, so four are all there is."""
    made = "index"
    for depth in range(size):
        quote = _QUOTES[min(depth, len(_QUOTES) - 1)]
        made = f"f{quote}{{{made}}}{quote}"
    return item(made)


@bomb(usual=5_000, large=60_000)
def one_format_string(size: int) -> str:
    return item("f'" + "{index}" * size + "'")


@bomb(usual=2_000, large=60_000)
def conditional_expressions(size: int) -> str:
    return program("args = argparse.Namespace()", workers=lines("{i} if args.a{i} else ", size) + "0")


@bomb(usual=300, large=60_000)
def comparisons(size: int) -> str:
    return program("a = b = 1", more="shuffle=a" + " < b" * size)


@bomb(usual=3_000, large=60_000)
def wide_test(size: int) -> str:
    test = " and ".join(f"args.a{i} is not None" for i in range(size))
    return program(
        f"args = argparse.Namespace()\nx = None\nif {test}:\n    x = RandomSampler([1])",
        more="sampler=x, shuffle=x is None",
    )


@bomb(usual=300, large=5_000)
def wide_test_of_either(size: int) -> str:
    test = " or ".join(f"(args.a{i} and not args.b{i})" for i in range(size))
    return program(
        f"args = argparse.Namespace()\nx = {test}",
        more="shuffle=not x, sampler=RandomSampler([1]) if x else None",
    )


@bomb(usual=20, large=400)
def shuffle_or_sampler(size: int) -> str:
    terms = " or ".join(f"(a{i} and not b{i})" for i in range(size))
    parameters = ", ".join(f"a{i}, b{i}" for i in range(size))
    return program(
        f"def make({parameters}):\n    x = {terms}\n"
        "    return DataLoader(Items(), shuffle=x, sampler=None if x else RandomSampler([1]))\n"
    )


@bomb(usual=3_000, large=60_000)
def strings_side_by_side(size: int) -> str:
    return program("x = (" + "'spawn'\n" * size + ")", more="multiprocessing_context=x")


@bomb(usual=3_000, large=30_000)
def strings_added(size: int) -> str:
    return program("x = ''" + " + 'spawn'" * size, more="multiprocessing_context=x")


@bomb(usual=2_000, large=30_000)
def types_in_an_annotation(size: int) -> str:
    return program("x: " + " | ".join(f"T{i}" for i in range(size)) + " = 2", workers="x")


@bomb(usual=90, large=60_000)
def walruses(size: int) -> str:
    return program(workers=lines("(a{i} := ", size) + "1" + ")" * size)


@bomb(usual=3_000, large=60_000)
def starred_parts(size: int) -> str:
    return program("a = [Items()]\nx = [" + "*a, " * size + "]", dataset="x[5]")


@bomb(usual=2_000, large=20_000)
def unions_of_mappings(size: int) -> str:
    return program("a = {'num_workers': 2}\nx = {" + "**a, " * size + "}", more="**x")


@bomb(usual=60, large=20_000)
def awaits(size: int) -> str:
    return program("async def f(x):\n    return " + "(await " * size + "x" + ")" * size + "\n")
