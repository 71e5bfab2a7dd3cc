"""Small texts for large things: whoever computes these as Python would has lost."""

from __future__ import annotations

from tests.fuzz.bombs.registry import bomb, item, lines, program


@bomb(usual=7, large=12)
def powers(size: int) -> str:
    """The number of digits is beyond any memory."""
    return program(workers="**".join(["9"] * size))


@bomb(usual=10**12, large=10**15)
def shifted_number(size: int) -> str:
    return program(workers=f"1 << {size}")


@bomb(usual=10**10, large=10**15)
def repeated_string(size: int) -> str:
    return program(f"x = 'spawn' * {size}", more="multiprocessing_context=x")


@bomb(usual=10**10, large=10**15)
def repeated_list(size: int) -> str:
    return program(f"x = [Items()] * {size}", dataset="x[1]")


@bomb(usual=10**9, large=10**15)
def padded_string(size: int) -> str:
    return program(
        f"x = '%{size}d' % 2\ny = f'{{2:{size}}}'\nz = '{{:{size}}}'.format(2)",
        more="multiprocessing_context=x + y + z",
    )


@bomb(usual=40, large=400)
def doubled_string(size: int) -> str:
    return program("x = 'spawn'\n" + "x = x + x\n" * size, more="multiprocessing_context=x")


@bomb(usual=40, large=400)
def doubled_list(size: int) -> str:
    return program("x0 = [Items()]\n" + lines("x{j} = x{i} + x{i}\n", size), dataset=f"x{size}[0]")


@bomb(usual=40, large=400)
def lists_of_twice_the_same(size: int) -> str:
    return program("x0 = Items()\n" + lines("x{j} = [x{i}, x{i}]\n", size), dataset=f"x{size}" + "[0]" * size)


@bomb(usual=40, large=400)
def squared_number(size: int) -> str:
    return program("x = 3\n" + "x = x * x\n" * size, workers="x % 2")


@bomb(usual=10**12, large=10**15)
def long_range(size: int) -> str:
    return program(
        f"x = list(range({size}))\ny = [Items() for _ in range({size})]", dataset="y[0]", workers="x[2]"
    )


@bomb(usual=4_000, large=2_000_000)
def digits(size: int) -> str:
    return program(workers="9" * size)


@bomb(usual=300_000, large=9_000_000)
def long_string(size: int) -> str:
    return program("x = '" + "DataLoader(" * (size // 11) + "'", more="multiprocessing_context=x")


@bomb(usual=300_000, large=9_000_000)
def long_name(size: int) -> str:
    return program(f"{'DataLoader' * (1 + size // 10)} = DataLoader")


@bomb(usual=300_000, large=9_000_000)
def long_comment(size: int) -> str:
    return program("x = 1  # noqa: " + "DL101, " * (size // 14) + "# noqa:" * (size // 14))


@bomb(usual=300_000, large=9_000_000)
def blanks(size: int) -> str:
    return program("x =" + " " * size + "1" + " " * size)


@bomb(usual=5_000, large=2_000_000)
def one_long_line(size: int) -> str:
    return program("; ".join(["x = DataLoader(Items(), num_workers=2)"] * (size // 40)))


@bomb(usual=60_000, large=400_000)
def beginnings_in_comments(size: int) -> str:
    """Each line begins again and again what is looked for in texts, and never ends it."""
    holds = "self.file, self.rng, self.kept = open('x'), np.random.default_rng(0), []"
    reads = "self.kept.append(self.file.read(index))\n        return self.rng.random()"
    return program(
        f"class D(Items):\n    def __init__(self):\n        {holds}\n\n    def __getitem__(self, index):\n"
        f"        {reads}\n\n\n" + "".join(f"# {each * (size // len(each))}\n" for each in _BEGINNINGS),
        dataset="D()",
    )


_BEGINNINGS = (
    *(".file[", ".rng[", ".kept[", "del self.", "from \t\t\t", "class A  [A](", ".\t", "(a", "getattr(a,"),
    *("self.file:", "for ", "args.arg", "import a as ", "np.", "=open("),
)


@bomb(usual=2_000, large=200_000)
def list_entries(size: int) -> str:
    return program("x = [" + lines("Items({i}), ", size) + "]", dataset="x[args.which]")


@bomb(usual=3_000, large=200_000)
def dictionary_entries(size: int) -> str:
    return program("x = {" + lines("'k{i}': {i}, ", size) + "}", workers="x[args.which]")


@bomb(usual=60, large=1_000)
def dictionary_of_classes(size: int) -> str:
    classes = lines("class D{i}(Items):\n    def __getitem__(self, i):\n        return cv2.imread(i)\n", size)
    table = "{" + lines("'k{i}': D{i}, ", size) + "}"
    return program(f"{classes}TABLE = {table}\nargs = argparse.Namespace()", dataset="TABLE[args.name]()")


@bomb(usual=1_000, large=50_000)
def table_in_an_item(size: int) -> str:
    return item("TABLE[index % 3]", "TABLE = [" + lines("({i}, 'a{i}', [{i}]), ", size) + "]\n")
