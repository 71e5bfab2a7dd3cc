"""Loaders: options that are put together in many steps, many loaders of many datasets."""

from __future__ import annotations

from tests.fuzz.bombs.registry import HEAD, ITEMS, bomb, lines, program


@bomb(usual=60, large=1_000)
def options_one_by_one(size: int) -> str:
    return program(
        "args = argparse.Namespace()\nkw = {}\n"
        + lines("if args.f{i}:\n    kw['x_{i}'] = args.f{i}\n", size),
        more="**kw",
    )


@bomb(usual=60, large=1_000)
def options_that_matter_one_by_one(size: int) -> str:
    return program(
        "args = argparse.Namespace()\nkw = {}\n"
        + lines(
            "if args.f{i}:\n    kw['sampler'] = RandomSampler([{i}])\n    kw['shuffle'] = args.g{i}\n", size
        ),
        more="**kw",
    )


@bomb(usual=400, large=5_000)
def branches_before_a_loader(size: int) -> str:
    tests = lines("    if args.f{i}:\n        print({i})\n", size)
    return program(
        f"def make(args):\n{tests}    return DataLoader(Items(), num_workers=args.n, shuffle=args.s)\n"
    )


@bomb(usual=60, large=1_000)
def options_updated(size: int) -> str:
    return program("kw = {}\n" + lines("kw.update(a{i}, shuffle=a{i})\n", size), more="**kw")


@bomb(usual=60, large=1_000)
def options_copied(size: int) -> str:
    return program(
        "k0 = dict(shuffle=True)\n" + lines("k{j} = dict(k{i}, x{i}=k{i}['shuffle'])\n", size),
        more=f"**k{size}",
    )


@bomb(usual=30, large=400)
def loaders_times_datasets(size: int) -> str:
    datasets = lines(
        "class D{i}(Items):\n    def __getitem__(self, i):\n        return cv2.imread(i)\n", size
    )
    table = "ALL = [" + lines("D{i}(), ", size) + "]\n"
    return program(
        f"{datasets}{table}def make(k):\n"
        + lines("    l{i} = DataLoader(ALL[k], num_workers=2, batch_size={i})\n", size)
    )


@bomb(usual=30, large=400)
def loaders_in_a_loop_of_datasets(size: int) -> str:
    datasets = lines("class D{i}(Items):\n    def __getitem__(self, i):\n        return helper(i)\n", size)
    helper = "def helper(x):\n    return cv2.imread(x), random.random()\n"
    loop = f"for ds in [{lines('D{i}(), ', size)}]:\n" + lines("    DataLoader(ds, num_workers={i})\n", size)
    return program(helper + datasets + loop)


@bomb(usual=300, large=5_000)
def loaders(size: int) -> str:
    return program(lines("l{i} = DataLoader(Items(), num_workers=2, batch_size={i})\n", size))


@bomb(usual=40, large=1_000)
def wrappers(size: int) -> str:
    """Every dataset hands on what the one inside gives."""
    made = lines(
        "class W{i}(Dataset):\n    def __init__(self, inner):\n        self.inner = inner\n"
        "    def __getitem__(self, i):\n        return self.inner[i]\n",
        size,
    )
    return program(f"{made}d0 = Items()\n" + lines("d{j} = W{i}(d{i})\n", size), dataset=f"d{size}")


@bomb(usual=40, large=1_000)
def one_wrapper_many_times(size: int) -> str:
    made = (
        "class W(Dataset):\n    def __init__(self, inner):\n        self.inner = inner\n"
        "    def __getitem__(self, i):\n        return self.inner[i]\n"
    )
    return program(f"{made}d0 = Items()\n" + lines("d{j} = W(d{i})\n", size), dataset=f"d{size}")


@bomb(usual=20, large=400)
def wrappers_of_two(size: int) -> str:
    made = (
        "class W(Dataset):\n    def __init__(self, a, b):\n        self.a = a\n        self.b = b\n"
        "    def __getitem__(self, i):\n        return self.a[i], self.b[i]\n"
    )
    return program(f"{made}d0 = Items()\n" + lines("d{j} = W(d{i}, d{i})\n", size), dataset=f"d{size}")


@bomb(usual=40, large=1_000)
def library_wrappers(size: int) -> str:
    made = "from torch.utils.data import Subset, ConcatDataset\nd0 = Items()\n"
    return program(
        made + lines("d{j} = ConcatDataset([Subset(d{i}, [0]), d{i}])\n", size), dataset=f"d{size}"
    )


@bomb(usual=60, large=1_000)
def arguments_parsed(size: int) -> str:
    made = "p = argparse.ArgumentParser()\n" + lines(
        "p.add_argument('--a{i}', type=int, default={i})\n", size
    )
    return program(
        f"{made}args = p.parse_args()\nn = " + " + ".join(f"args.a{i}" for i in range(size)), workers="n"
    )


@bomb(usual=100, large=2_000)
def registered_datasets(size: int) -> str:
    register = "R = {}\ndef register(c):\n    R[c.__name__] = c\n    return c\n"
    classes = lines(
        "@register\nclass D{i}(Items):\n    def __getitem__(self, i):\n        return cv2.imread(i)\n", size
    )
    return program(register + classes, dataset="R[args.name]()")


@bomb(usual=40, large=400)
def worker_init_functions(size: int) -> str:
    made = lines("def init_{i}(worker_id):\n    np.random.seed({i})\n    random.seed(worker_id)\n", size)
    return program(made + lines("DataLoader(Items(), num_workers=2, worker_init_fn=init_{i})\n", size))


@bomb(usual=100, large=2_000)
def epochs_in_epochs(size: int) -> str:
    depth = min(size, 90)
    loops = "".join(" " * i + f"for b{i} in loader:\n" for i in range(depth)) + " " * depth + "print(b0)\n"
    return f"{HEAD}\n{ITEMS}\nloader = DataLoader(Items(), num_workers=2, persistent_workers=False)\n{loops}"
