"""Functions: many that call each other, many callers of one, chains of those that hand on."""

from __future__ import annotations

from tests.fuzz.bombs.registry import bomb, item, lines, program


def _mutual(size: int, fan: int) -> str:
    return "".join(
        f"def f{i}(x):\n    if x:\n        return {' + '.join(f'f{(i * k + k) % size}(x - {k})' for k in range(1, fan + 1))}\n"
        f"    return cv2.imread(x)\n\n\n"
        for i in range(size)
    )


@bomb(usual=30, large=1_000)
def mutual_recursion(size: int) -> str:
    return item("f0(index)", _mutual(size, 4))


@bomb(usual=30, large=1_000)
def mutual_recursion_for_a_number(size: int) -> str:
    functions = "".join(
        f"def f{i}(x):\n    return f{(i + 1) % size}(x) or f{(i * 3 + 1) % size}(x + 1) or {i}\n"
        for i in range(size)
    )
    return program(functions, workers="f0(1)")


@bomb(usual=40, large=400)
def calls_twice_the_next(size: int) -> str:
    """The last function would be called 2**size times."""
    functions = lines("def f{i}(x):\n    return f{j}(x), f{j}(x + 1)\n", size)
    return item("f0(index)", f"{functions}def f{size}(x):\n    return cv2.imread(x)\n")


@bomb(usual=24, large=400)
def calls_twice_for_a_number(size: int) -> str:
    functions = lines("def f{i}(x):\n    return f{j}(x) + f{j}(x + 1)\n", size)
    return program(f"{functions}def f{size}(x):\n    return x\n", workers="f0(1)")


@bomb(usual=15, large=400)
def everybody_calls_everybody_after(size: int) -> str:
    functions = "".join(
        f"def f{i}(x):\n    y = 0\n"
        + "".join(f"    y += f{j}(x)\n" for j in range(i + 1, size))
        + "    return y or cv2.mean(x)\n"
        for i in range(size)
    )
    return item("f0(index)", functions)


@bomb(usual=300, large=5_000)
def many_callers(size: int) -> str:
    made = "def make(dataset, n, sampler):\n    return DataLoader(dataset, num_workers=n, sampler=sampler, shuffle=sampler is None)\n"
    return program(made + lines("make(Items(), {i}, RandomSampler([{i}]))\n", size))


@bomb(usual=25, large=400)
def callers_of_callers(size: int) -> str:
    """Each function has two callers, which hand on what they get."""
    made = "def f0(n):\n    return DataLoader(Items(), num_workers=n)\n"
    made += lines("def f{i}(n):\n    return f{h}(n), f{h}(n + 1)\n", size, start=1)
    return program(f"{made}f{size}(1)\n")


@bomb(usual=400, large=9_000)
def chain_of_calls(size: int) -> str:
    functions = lines("def f{i}(x):\n    return f{j}(x)\n", size)
    return item("f0(index)", f"{functions}def f{size}(x):\n    return cv2.imread(x)\n")


@bomb(usual=400, large=9_000)
def chain_of_calls_to_a_loader(size: int) -> str:
    made = "def f0(n):\n    return DataLoader(Items(), num_workers=n)\n"
    made += lines("def f{i}(n):\n    return f{h}(n)\n", size, start=1)
    return program(f"{made}f{size}(2)\n")


@bomb(usual=200, large=5_000)
def partials(size: int) -> str:
    made = "def f(*a, **k):\n    return cv2.mean(a[0])\np0 = partial(f)\n"
    return program(made + lines("p{j} = partial(p{i}, k{i}={i})\n", size), more=f"collate_fn=p{size}")


@bomb(usual=200, large=5_000)
def partials_of_a_loader(size: int) -> str:
    made = "p0 = partial(DataLoader, num_workers=2)\n" + lines("p{j} = partial(p{i}, batch_size={i})\n", size)
    return program(f"{made}p{size}(Items())\n")


@bomb(usual=200, large=5_000)
def lambdas_that_call_lambdas(size: int) -> str:
    made = "g0 = lambda x: cv2.mean(x)\n" + lines("g{j} = lambda x: g{i}(x)\n", size)
    return program(made, more=f"collate_fn=g{size}")


@bomb(usual=100, large=5_000)
def generators(size: int) -> str:
    made = "def g0(x):\n    yield cv2.imread(x)\n" + lines("def g{j}(x):\n    yield from g{i}(x)\n", size)
    stream = f"class Stream(IterableDataset):\n    def __iter__(self):\n        yield from g{size}(self)\n"
    return program(made + stream, dataset="Stream()")


@bomb(usual=20, large=400)
def generators_that_branch(size: int) -> str:
    made = "def g0(x):\n    yield cv2.imread(x)\n"
    made += lines("def g{j}(x):\n    yield from g{i}(x)\n    yield from g{i}(x + 1)\n", size)
    stream = f"class Stream(IterableDataset):\n    def __iter__(self):\n        return g{size}(self)\n"
    return program(made + stream, dataset="Stream()")


@bomb(usual=200, large=5_000)
def parameters(size: int) -> str:
    names = ", ".join(f"a{i}={i}" for i in range(size))
    handed = ", ".join(f"a{i}=a{i}" for i in range(size))
    made = f"def f({names}):\n    return DataLoader(Items(), num_workers=a2)\ndef g({names}):\n    return f({handed})\n"
    return program(f"{made}g()\ng(a2=3)\n")


@bomb(usual=60, large=1_000)
def functions_in_a_table(size: int) -> str:
    """Each function calls whichever the table has for a name that nobody knows."""
    functions = lines("def f{i}(x):\n    return TABLE[x](x - 1) or cv2.imread(x)\n", size)
    return item("TABLE[index](index)", f"{functions}TABLE = {{{lines('{i}: f{i}, ', size)}}}\n")


@bomb(usual=20, large=400)
def functions_that_are_handed_on(size: int) -> str:
    functions = lines("def f{i}(g, x):\n    return g(f{j}, x), g(g, x), f{j}(g, x)\n", size)
    return item("f0(f1, index)", f"{functions}def f{size}(g, x):\n    return cv2.imread(x)\n")


@bomb(usual=100, large=5_000)
def closures(size: int) -> str:
    made = "def c0(x):\n    return cv2.mean(x)\n"
    made += lines("def m{i}(f):\n    def c(x):\n        return f(x)\n    return c\n", size)
    return program(
        f"{made}c = " + lines("m{i}(", min(size, 90)) + "c0" + ")" * min(size, 90), more="collate_fn=c"
    )


@bomb(usual=40, large=1_000)
def transforms_composed(size: int) -> str:
    made = lines(
        "class T{i}:\n    def __call__(self, x):\n        return cv2.blur(x, (3, 3)) + np.random.rand()\n",
        size,
    )
    made += "from torchvision.transforms import Compose\n" + f"T = Compose([{lines('T{i}(), ', size)}])\n"
    return item("T(index)", made)


@bomb(usual=300, large=5_000)
def transforms_added_one_by_one(size: int) -> str:
    made = "from torchvision.transforms import Compose\nclass T:\n    def __call__(self, x):\n        return cv2.blur(x, (3, 3))\n"
    return item("T0(index)", f"{made}ts = []\n" + "ts.append(T())\n" * size + "T0 = Compose(ts)\n")
