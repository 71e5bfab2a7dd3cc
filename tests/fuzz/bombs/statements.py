"""Statements that are deep or many: branches, loops, tries, definitions in definitions."""

from __future__ import annotations

from tests.fuzz.bombs.registry import bomb, indented, item, lines, program


def _nest(pattern: str, size: int, inner: str) -> str:
    return "".join(" " * i + pattern.format(i=i) + "\n" for i in range(size)) + " " * size + inner + "\n"


@bomb(usual=900, large=20_000)
def elif_chain(size: int) -> str:
    return program(
        "args = argparse.Namespace()\nif args.a == 'x':\n    n = 0\n"
        + lines("elif args.a == 'a{i}':\n    n = {i}\n", size)
        + "else:\n    n = 2\n",
        workers="n",
    )


@bomb(usual=90, large=99)
def nested_ifs(size: int) -> str:
    """Python itself ends at a hundred levels."""
    return program(
        "args = argparse.Namespace()\nn = 0\n" + _nest("if args.a{i}:", size, "n = 2"), workers="n"
    )


@bomb(usual=90, large=99)
def nested_fors(size: int) -> str:
    return program(_nest("for a{i} in range(3):", size, "DataLoader(Items(), num_workers=2)"))


@bomb(usual=90, large=99)
def nested_whiles(size: int) -> str:
    return program("x = 0\n" + _nest("while x < {i}:", size, "x = x + 1"), workers="x")


@bomb(usual=90, large=99)
def nested_functions(size: int) -> str:
    inner = _nest("def f{i}(a{i}=1):", size, "return DataLoader(Items(), num_workers=a0)")
    returns = "".join(" " * i + f"return f{i}()\n" for i in range(size - 1, 0, -1))
    return program(inner + returns, more="collate_fn=f0()")


@bomb(usual=90, large=99)
def nested_classes(size: int) -> str:
    inner = _nest("class C{i}(Dataset):", size, "def __getitem__(self, i): return cv2.imread(i)")
    return program(inner, dataset=".".join(f"C{i}" for i in range(size)) + "()")


@bomb(usual=90, large=99)
def nested_tries(size: int) -> str:
    head = "".join(" " * i + "try:\n" for i in range(size)) + " " * size + "n = 2\n"
    ends = "".join(" " * i + f"except E{i}:\n" + " " * i + f" n = {i}\n" for i in range(size - 1, -1, -1))
    return program(head + ends, workers="n")


@bomb(usual=90, large=99)
def nested_withs(size: int) -> str:
    return program(_nest("with open('{i}') as a{i}:", size, "n = 2"), workers="n")


@bomb(usual=90, large=99)
def nested_matches(size: int) -> str:
    head = "".join("  " * i + f"match a{i}:\n" + "  " * i + f" case {i}:\n" for i in range(min(size, 49)))
    return program(head + "  " * min(size, 49) + "n = 2\n", workers="n")


@bomb(usual=400, large=20_000)
def match_cases(size: int) -> str:
    cases = lines("    case 'a{i}' | {{'k': {i}}}:\n        n = {i}\n", size)
    return program(
        f"args = argparse.Namespace()\nmatch args.a:\n{cases}    case _:\n        n = 2\n", workers="n"
    )


@bomb(usual=300, large=5_000)
def tries_in_a_row(size: int) -> str:
    return program(
        "n = 0\n" + lines("try:\n    n = f{i}(n)\nexcept E{i}:\n    n = n + {i}\n", size), workers="n"
    )


@bomb(usual=40, large=2_000)
def branches_in_a_row(size: int) -> str:
    """Each test doubles the ways through the program."""
    return program(
        "args = argparse.Namespace()\nx = None\nn = 0\n"
        + lines("if args.f{i}:\n    n = n + 1\n    x = RandomSampler([{i}])\nelse:\n    n = n * 2\n", size),
        workers="n",
        more="sampler=x, shuffle=x is None",
    )


@bomb(usual=60, large=2_000)
def early_returns(size: int) -> str:
    tests = lines("    if args.f{i} and not args.g{i}:\n        return {i}\n", size)
    return program(f"args = argparse.Namespace()\ndef f(args):\n{tests}    return 2\n", workers="f(args)")


@bomb(usual=300, large=5_000)
def loops_in_a_row(size: int) -> str:
    return program("n = 0\n" + lines("for i in range({i}):\n    n = n + i\n", size), workers="n")


@bomb(usual=60, large=1_000)
def variables_in_a_ring(size: int) -> str:
    """Every round of the loop hands each value on to the next variable."""
    start = lines("a{i} = {i}\n", size + 1)
    ring = indented(lines("a{i} = a{j} + 1\n", size) + f"a{size} = a0\n")
    return program(f"{start}for _ in range(args.n):\n{ring}", workers="a0")


@bomb(usual=60, large=1_000)
def swaps_in_a_loop(size: int) -> str:
    left, right = ", ".join(f"a{i}" for i in range(size)), ", ".join(f"a{size - i - 1}" for i in range(size))
    return program(f"{left} = range({size})\nwhile a0:\n    {left} = {right}\n", workers="a0")


@bomb(usual=1_000, large=20_000)
def assignments_in_a_row(size: int) -> str:
    return program("n0 = 2\n" + lines("n{j} = n{i}\n", size), workers=f"n{size}")


@bomb(usual=1_000, large=20_000)
def rebindings(size: int) -> str:
    return program("n = 0\n" + "n = n + 1\n" * size, workers="n")


@bomb(usual=1_000, large=20_000)
def targets_of_one_assignment(size: int) -> str:
    return program(lines("a{i} = ", size) + "2", workers="a5")


@bomb(usual=500, large=20_000)
def global_names(size: int) -> str:
    functions = lines("def f{i}():\n    global n\n    n = {i}\n", size)
    return program(f"n = 0\n{functions}" + lines("f{i}()\n", size), workers="n")


@bomb(usual=300, large=5_000)
def seeds_in_a_row(size: int) -> str:
    return item("random.random()", "def seed(worker_id):\n" + lines("    np.random.seed({i})\n", size))


@bomb(usual=90, large=2_000)
def comprehension_in_comprehension_of_an_item(size: int) -> str:
    """Each level reads the file anew, were it run."""
    made = "cv2.imread(a0)"
    for i in range(min(size, 90)):
        made = f"[{made} for a{i} in range(a{i + 1})]"
    return item(made)


@bomb(usual=500, large=20_000)
def lines_after_an_end(size: int) -> str:
    return program("def f():\n    return 2\n" + lines("    f{i}()\n    return {i}\n", size), workers="f()")


@bomb(usual=500, large=20_000)
def main_guards(size: int) -> str:
    return program(
        lines("if __name__ == '__main__':\n    l{i} = DataLoader(Items(), num_workers={i} % 3)\n", size)
    )


@bomb(usual=400, large=5_000)
def decorators(size: int) -> str:
    made = "def keep(f):\n    return f\n" + "@keep\n" * size
    return program(f"{made}def collate(batch):\n    return cv2.mean(batch)\n", more="collate_fn=collate")


@bomb(usual=60, large=2_000)
def decorators_that_wrap(size: int) -> str:
    made = lines("def d{i}(f):\n    def g(*a, **k):\n        return f(*a, **k)\n    return g\n", size)
    return program(
        made + lines("@d{i}\n", size) + "def collate(batch):\n    return cv2.mean(batch)\n",
        more="collate_fn=collate",
    )
