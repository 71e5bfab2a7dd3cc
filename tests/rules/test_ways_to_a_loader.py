"""How objects come to a loader: callers, constructors, containers and Python's own protocols.

Each program gives a loader's dataset a transform that calls OpenCV, or gives the loader no workers.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from program.sources import check

_HEAD = """\
import functools

import cv2
import torch
from torch.utils.data import DataLoader, Dataset, Subset, random_split


class Photos(Dataset):
    def __init__(self, paths, transform=None):
        self.paths = paths
        self.transform = transform

    def __getitem__(self, index):
        x = torch.zeros(3)
        return self.transform(x) if self.transform is not None else x


def blur(x):
    return cv2.medianBlur(x, 3)


"""

_REACHED = {
    "method through getattr": """\
class Maker:
    def build(self, t):
        return DataLoader(Photos([], t), num_workers=2)
getattr(Maker(), "build")(blur)
""",
    "partial of maker": """\
def make(t, workers):
    return DataLoader(Photos([], t), num_workers=workers)
functools.partial(make, workers=2)(blur)
""",
    "decorated maker": """\
def logged(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner
@logged
def make(t, workers):
    return DataLoader(Photos([], t), num_workers=workers)
make(blur, 2)
""",
    "mp.spawn": """\
import torch.multiprocessing as mp
def work(rank, t):
    for b in DataLoader(Photos([], t), num_workers=2): pass
if __name__ == "__main__":
    mp.spawn(work, args=(blur,), nprocs=2)
""",
    "simple namespace": """\
from types import SimpleNamespace
cfg = SimpleNamespace(workers=2, t=blur)
def make(cfg):
    return DataLoader(Photos([], cfg.t), num_workers=cfg.workers)
make(cfg)
""",
    "dataclass config": """\
from dataclasses import dataclass, field
@dataclass
class Cfg:
    workers: int = 0
    t: object = None
def make(cfg):
    return DataLoader(Photos([], cfg.t), num_workers=cfg.workers)
make(Cfg(workers=2, t=blur))
""",
    "self cfg": """\
class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
    def loader(self):
        return DataLoader(Photos([], self.cfg["t"]), num_workers=self.cfg["workers"])
Trainer({"t": blur, "workers": 2}).loader()
""",
    "two levels kwargs": """\
class A:
    def __init__(self, *args, **kwargs):
        self.setup(*args, **kwargs)
    def setup(self, t, workers=0):
        self.l = DataLoader(Photos([], t), num_workers=workers)
class B(A):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
class C(B):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
C(blur, workers=2)
""",
    "overridden hook": """\
class Base:
    def transform(self):
        return None
    def loader(self):
        return DataLoader(Photos([], self.transform()), num_workers=2)
class Child(Base):
    def transform(self):
        return blur
Child().loader()
""",
    "loader.dataset": """\
l = DataLoader(Photos([], blur), num_workers=0)
m = DataLoader(l.dataset, num_workers=2)
""",
    "subset.dataset": """\
s = Subset(Photos([], blur), [1])
m = DataLoader(s.dataset, num_workers=2)
""",
    "random_split": """\
a, b = random_split(Photos([], blur), [1, 2])
m = DataLoader(b, num_workers=2)
""",
    "concat plus": """\
m = DataLoader(Photos([]) + Photos([], blur), num_workers=2)
""",
    "starred": """\
first, *rest = [None, blur, blur]
m = DataLoader(Photos([], rest[0]), num_workers=2)
""",
    "nested containers": """\
sets = {"train": {"t": [None, blur]}}
m = DataLoader(Photos([], sets["train"]["t"][1]), num_workers=2)
""",
    "slice": """\
ts = [None, blur, blur]
m = DataLoader(Photos([], ts[1:][0]), num_workers=2)
""",
    "callee adds key": """\
def add(opts):
    opts["num_workers"] = 2
opts = {"num_workers": 0}
add(opts)
m = DataLoader(Photos([], blur), **opts)
""",
    "generator entered": """\
def gen():
    yield blur
for t in gen():
    m = DataLoader(Photos([], t), num_workers=2)
""",
    "iter class": """\
class Ts:
    def __iter__(self):
        yield None
        yield blur
for t in Ts():
    m = DataLoader(Photos([], t), num_workers=2)
""",
    "diamond mro": """\
class Base:
    def t(self): return None
class L(Base): pass
class R(Base):
    def t(self): return blur
class D(L, R): pass
m = DataLoader(Photos([], D().t()), num_workers=2)
""",
    "reduce compose": """\
class Chain:
    def __init__(self, fs): self.fs = fs
    def __call__(self, x):
        return functools.reduce(lambda acc, f: f(acc), self.fs, x)
m = DataLoader(Photos([], Chain([blur])), num_workers=2)
""",
    "decorator with arguments": """\
def retry(times):
    def deco(f):
        def inner(*a):
            for _ in range(times):
                return f(*a)
        return inner
    return deco
@retry(3)
def soft(x):
    return cv2.blur(x, (3, 3))
m = DataLoader(Photos([], soft), num_workers=2)
""",
    "exception constructor calls cv2": """\
class Bad(Exception):
    def __init__(self, x):
        self.x = cv2.blur(x, (3, 3))
def t(x):
    raise Bad(x)
m = DataLoader(Photos([], t), num_workers=2)
""",
    "heir plain": """\
class A:
    def __init__(self, t, workers=0):
        self.l = DataLoader(Photos([], t), num_workers=workers)
class C(A):
    pass
C(blur, workers=2)
""",
    "heir super": """\
class A:
    def __init__(self, t, workers=0):
        self.l = DataLoader(Photos([], t), num_workers=workers)
class C(A):
    def __init__(self, t):
        super().__init__(t, workers=2)
C(blur)
""",
    "heir super kwargs": """\
class A:
    def __init__(self, t, workers=0):
        self.l = DataLoader(Photos([], t), num_workers=workers)
class C(A):
    def __init__(self, **kw):
        super().__init__(**kw)
C(t=blur, workers=2)
""",
    "method from init": """\
class A:
    def __init__(self, t, workers=0):
        self.setup(t, workers)
    def setup(self, t, workers):
        self.l = DataLoader(Photos([], t), num_workers=workers)
A(blur, workers=2)
""",
    "method from init heir": """\
class A:
    def __init__(self, t, workers=0):
        self.setup(t, workers)
    def setup(self, t, workers):
        self.l = DataLoader(Photos([], t), num_workers=workers)
class C(A):
    pass
C(blur, workers=2)
""",
    "method from init star": """\
class A:
    def __init__(self, *args, **kw):
        self.setup(*args, **kw)
    def setup(self, t, workers):
        self.l = DataLoader(Photos([], t), num_workers=workers)
A(blur, workers=2)
""",
    "mixin super": """\
class A:
    def __init__(self, t=None, **kw):
        super().__init__(**kw)
        self.t = t
class B:
    def __init__(self, workers=0):
        self.workers = workers
class C(A, B):
    def loader(self):
        return DataLoader(Photos([], self.t), num_workers=self.workers)
C(t=blur, workers=2).loader()
""",
    "one level star": """\
class A:
    def __init__(self, *args, **kwargs):
        self.setup(*args, **kwargs)
    def setup(self, t, workers=0):
        self.l = DataLoader(Photos([], t), num_workers=workers)
class B(A):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
B(blur, workers=2)
""",
    "one level kw": """\
class A:
    def __init__(self, **kwargs):
        self.setup(**kwargs)
    def setup(self, t, workers=0):
        self.l = DataLoader(Photos([], t), num_workers=workers)
class B(A):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
B(t=blur, workers=2)
""",
    "init star only": """\
class A:
    def __init__(self, t, workers=0):
        self.l = DataLoader(Photos([], t), num_workers=workers)
class B(A):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
class C(B):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
C(blur, workers=2)
""",
}
_IDLE = {
    "workers zero": """\
def make(t, workers):
    return DataLoader(Photos([], t), num_workers=workers)
make(blur, 0)
""",
    "simple namespace zero": """\
from types import SimpleNamespace
cfg = SimpleNamespace(workers=0, t=blur)
def make(cfg):
    return DataLoader(Photos([], cfg.t), num_workers=cfg.workers)
make(cfg)
""",
    "dataclass config default zero": """\
from dataclasses import dataclass, field
@dataclass
class Cfg:
    t: object
    workers: int = 0
def make(cfg):
    return DataLoader(Photos([], cfg.t), num_workers=cfg.workers)
make(Cfg(t=blur))
""",
    "self cfg zero": """\
class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
    def loader(self):
        return DataLoader(Photos([], self.cfg["t"]), num_workers=self.cfg["workers"])
Trainer({"t": blur, "workers": 0}).loader()
""",
    "two levels kwargs zero": """\
class A:
    def __init__(self, *args, **kwargs):
        self.setup(*args, **kwargs)
    def setup(self, t, workers=0):
        self.l = DataLoader(Photos([], t), num_workers=workers)
class B(A):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
B(blur)
""",
    "exception constructor": """\
class Bad(Exception):
    def __init__(self, x):
        self.x = x
def t(x):
    raise Bad(x)
m = DataLoader(Photos([], t), num_workers=2)
""",
    "mixin super zero": """\
class A:
    def __init__(self, t=None, **kw):
        super().__init__(**kw)
        self.t = t
class B:
    def __init__(self, workers=0):
        self.workers = workers
class C(A, B):
    def loader(self):
        return DataLoader(Photos([], self.t), num_workers=self.workers)
C(t=blur).loader()
""",
}


@pytest.mark.parametrize("program", _REACHED.values(), ids=_REACHED)
def test_the_loader_gets_it(program: str, tmp_path: Path) -> None:
    found = check(tmp_path, {"main.py": _HEAD + program}, "DL101").findings
    assert [finding.code for finding in found] == ["DL101"]


@pytest.mark.parametrize("program", _IDLE.values(), ids=_IDLE)
def test_no_workers_get_it(program: str, tmp_path: Path) -> None:
    assert not check(tmp_path, {"main.py": _HEAD + program}, "DL101").findings
