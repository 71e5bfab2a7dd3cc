"""Classes: deep and diamond hierarchies, constructors that hand on, one attribute in many methods."""

from __future__ import annotations

from tests.fuzz.bombs.registry import bomb, indented, lines, program

_READ = "    def __getitem__(self, i):\n        return cv2.imread(self.x)\n"


@bomb(usual=300, large=5_000)
def methods_that_store_one_attribute(size: int) -> str:
    made = f"class D(Items):\n    def __init__(self):\n        self.x = 1\n{_READ}"
    made += lines("    def m{i}(self):\n        self.x = self.x + {i}\n", size)
    return program(made, dataset="D()", workers="D().x")


@bomb(usual=40, large=1_000)
def methods_that_store_and_call(size: int) -> str:
    """What one method stores another reads, and each calls the next two."""
    made = f"class D(Items):\n    def __init__(self):\n        self.m0()\n{_READ}"
    made += lines(
        "    def m{i}(self):\n        self.x = self.y{i}\n        self.y{j} = self.x\n        self.m{j}()\n        self.m{h}()\n",
        size,
        start=1,
    )
    return program(f"{made}    m0 = m1\n", dataset="D()", workers="D().x")


@bomb(usual=200, large=5_000)
def attributes_stored(size: int) -> str:
    made = "class D(Items):\n    def __init__(self, args):\n"
    made += indented(lines("self.x{i} = args.x{i}\n", size), 2)
    return program(f"{made}{_READ}", dataset="D(args)")


@bomb(usual=100, large=2_000)
def hierarchy(size: int) -> str:
    made = (
        "class C0(Dataset):\n    def __init__(self, x=1, **kw):\n        super().__init__(**kw)\n        self.x = x\n"
        f"{_READ}"
    )
    made += lines(
        "class C{j}(C{i}):\n    def __init__(self, y{i}=0, **kw):\n        super().__init__(**kw)\n        self.y{i} = y{i}\n",
        size,
    )
    return program(made, dataset=f"C{size}(x=2)", workers=f"C{size}(x=2).x")


@bomb(usual=100, large=2_000)
def hierarchy_of_methods(size: int) -> str:
    made = f"class C0(Dataset):\n    def m(self, x):\n        return cv2.imread(x)\n{_READ}"
    made += lines("class C{j}(C{i}):\n    def m(self, x):\n        return super().m(x)\n", size)
    made += f"class D(C{size}):\n    def __getitem__(self, i):\n        return self.m(i)\n"
    return program(made, dataset="D()")


@bomb(usual=30, large=400)
def diamonds(size: int) -> str:
    """The number of ways up doubles with each."""
    made = "class A0(Dataset):\n    def __init__(self):\n        self.x = 1\n" + _READ
    made += lines(
        "class L{i}(A{i}):\n    def __init__(self):\n        super().__init__()\n"
        "class R{i}(A{i}):\n    def __init__(self):\n        super().__init__()\n"
        "class A{j}(L{i}, R{i}):\n    def __init__(self):\n        super().__init__()\n",
        size,
    )
    return program(made, dataset=f"A{size}()", workers=f"A{size}().x")


@bomb(usual=100, large=2_000)
def many_bases(size: int) -> str:
    made = lines("class B{i}:\n    def m{i}(self):\n        return self.m{j}()\n", size)
    made += f"class D({', '.join(f'B{i}' for i in range(size))}, Items):\n    def __getitem__(self, i):\n        return self.m0()\n"
    return program(made, dataset="D()")


@bomb(usual=100, large=2_000)
def heirs(size: int) -> str:
    made = "class C(Dataset):\n    def __getitem__(self, i):\n        return self.read(i)\n"
    made += lines("class C{i}(C):\n    def read(self, i):\n        return cv2.imread(i)\n", size)
    return program(made + lines("DataLoader(C{i}(), num_workers=2)\n", size))


@bomb(usual=50, large=1_000)
def classes_that_derive_in_a_ring(size: int) -> str:
    return program(
        lines("class C{i}(C{j}):\n    pass\n", size) + f"class C{size}(C0):\n{_READ}", dataset="C0()"
    )


@bomb(usual=100, large=2_000)
def properties(size: int) -> str:
    made = "class D(Items):\n    @property\n    def x0(self):\n        return 2\n"
    made += lines("    @property\n    def x{j}(self):\n        return self.x{i}\n", size)
    return program(made, dataset="D()", workers=f"D().x{size}")


@bomb(usual=20, large=400)
def properties_that_branch(size: int) -> str:
    made = "class D(Items):\n    @property\n    def x0(self):\n        return 2\n"
    made += lines("    @property\n    def x{j}(self):\n        return self.x{i} or self.x{i} + 1\n", size)
    return program(made, dataset="D()", workers=f"D().x{size}")


@bomb(usual=50, large=1_000)
def objects_in_objects(size: int) -> str:
    made = "class N:\n    def __init__(self, n):\n        self.n = n\n    def get(self):\n        return self.n.get()\n"
    return program(f"{made}n0 = N(2)\n" + lines("n{j} = N(n{i})\n", size), workers=f"n{size}.get()")


@bomb(usual=50, large=1_000)
def dataclasses(size: int) -> str:
    made = "from dataclasses import dataclass\n@dataclass\nclass C0(Items):\n    x0: int = 0\n"
    return program(
        made + lines("@dataclass\nclass C{j}(C{i}):\n    x{j}: int = {i}\n", size),
        dataset=f"C{size}()",
        workers=f"C{size}().x0",
    )


@bomb(usual=50, large=1_000)
def metaclasses(size: int) -> str:
    made = lines("class M{j}(type):\n    def __call__(cls, *a, **k):\n        return M{j}(*a, **k)\n", size)
    return program(f"{made}class D(Items, metaclass=M{size}):\n    pass\n", dataset="D()")


@bomb(usual=30, large=1_000)
def datasets_that_hold_each_other(size: int) -> str:
    made = lines(
        "class D{i}(Dataset):\n    def __init__(self):\n        self.o = D{j}()\n    def __getitem__(self, i):\n        return self.o[i]\n",
        size,
    )
    return program(f"{made}class D{size}(D0):\n    pass\n", dataset="D0()")
