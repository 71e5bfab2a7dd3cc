"""Seeds and draws in the shapes that real datasets give them: what else seeds a draw, and when a seed repeats."""

from __future__ import annotations

from pathlib import Path

import pytest
from program.sources import agree

from dlint import engine
from dlint.settings.settings import Settings

_HEAD = """\
import contextlib
import datetime
import os
import random
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Data(Dataset):
    def __init__(self):
        self.seeded = False

    def __len__(self):
        return 9

"""
_LOADED = """

for batch in DataLoader(Data(), num_workers=2):
    pass
"""
_DRAWN = _LOADED.replace("2):", "2):  # expect: DL202")
_SEED_ALL = """

def seed_all(number):
    random.seed(number)
    np.random.seed(number)
"""
_SEEDED = """

@contextlib.contextmanager
def seeded(number):
    state = np.random.get_state()
    np.random.seed(number)
    try:
        yield
    finally:
        np.random.set_state(state)


class temp_seed:
    def __init__(self, number):
        self.number = number

    def __enter__(self):
        self.state = np.random.get_state()
        np.random.seed(self.number)
        return self

    def __exit__(self, *caught):
        np.random.set_state(self.state)


class Timed:
    def __enter__(self):
        self.start = time.time()

    def __exit__(self, *caught):
        print(time.time() - self.start)
"""


def _agree(folder: Path, program: str) -> None:
    agree(folder, {"main.py": _HEAD + program}, "DL201", "DL202", target_torch="1.8")


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            f"""\
    def __getitem__(self, index):
        seed_all(index)  # expect: DL201
        return self.noise()

    def noise(self):
        return np.random.rand()
{_SEED_ALL}{_LOADED}""",
            id="a helper seeds first",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        item = np.random.rand()
        seed_all(index)  # expect: DL201
        return item
{_SEED_ALL}{_DRAWN}""",
            id="a helper seeds afterwards",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        if index > 3:
            seed_all(index)  # expect: DL201
        return np.random.rand()
{_SEED_ALL}{_DRAWN}""",
            id="a helper seeds for some items",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        try:
            np.random.seed(index)  # expect: DL201
            return self.noise()
        finally:
            print(index)

    def noise(self):
        return np.random.rand()
{_LOADED}""",
            id="seeded in the try around the draw",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        with seeded(index):
            return self.noise()

    def noise(self):
        return np.random.rand()
{_SEEDED}{_LOADED}""",
            id="a generator function seeds around the draw",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        with temp_seed(index):
            return self.noise()

    def noise(self):
        return np.random.rand()
{_SEEDED}{_LOADED}""",
            id="an object seeds around the draw",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        item = np.random.rand()
        with temp_seed(index):
            return item + np.random.rand()
{_SEEDED}{_DRAWN}""",
            id="one draw inside the block, one before it",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        with Timed():
            return np.random.rand()
{_SEEDED}{_DRAWN}""",
            id="an object that seeds nothing",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        self.seed_once()
        return np.random.rand()

    def seed_once(self):
        if self.seeded:
            return
        info = get_worker_info()
        if info is not None:
            np.random.seed(info.seed % 2**32)
        self.seeded = True
{_LOADED}""",
            id="once, with torch's seed, by an early return",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        if not self.seeded:
            info = get_worker_info()
            if info is not None:
                np.random.seed(info.seed % 2**32)
                self.seeded = True
        return np.random.rand()
{_LOADED}""",
            id="once, with torch's seed",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        if not self.seeded:
            info = get_worker_info()
            if info is not None:
                np.random.seed(info.id)  # expect: DL201
                self.seeded = True
        return np.random.rand()
{_DRAWN}""",
            id="once, with the worker's number only",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        if self.seeded:
            return index
        np.random.seed(3)  # expect: DL201
        self.seeded = True
        return index
{_LOADED}""",
            id="once, with a constant, by an early return",
        ),
    ],
)
def test_draws_of_numpy(program: str, tmp_path: Path) -> None:
    _agree(tmp_path, program)


@pytest.mark.parametrize(
    ("seed", "found"),
    [
        ("int(time.time() * 1e6) % 2**32", False),
        ("int(time.time() * 1000) % 2**32", False),
        ("int(time.time())", True),
        ("int(time.time() * 10)", True),
        ("time.time_ns() % 2**32", False),
        ("datetime.datetime.now().microsecond", False),
        ("datetime.datetime.now().second + datetime.datetime.now().microsecond", False),
        ("datetime.datetime.now().second", True),
    ],
)
def test_clocks(seed: str, found: bool, tmp_path: Path) -> None:
    expected = "  # expect: DL201" if found else ""
    program = f"""\
    def __getitem__(self, index):
        np.random.seed({seed}){expected}
        return np.random.rand()
{_LOADED}"""
    _agree(tmp_path, program)


@pytest.mark.parametrize(
    ("number", "found"),
    [
        ('int(os.environ["RANK"])', True),
        ('int(os.environ.get("RANK", 0))', True),
        ('int(offsets["RANK"])', False),
    ],
)
def test_numbers_of_the_environment(number: str, found: bool, tmp_path: Path) -> None:
    """The environment is the same in every epoch; of another table nobody knows."""
    program = f"""\
    def __getitem__(self, index):
        return np.random.rand()


def seed_rank(worker_id):
    np.random.seed(number + worker_id){"  # expect: DL204" if found else ""}


def train():
    for batch in DataLoader(Data(), num_workers=2, worker_init_fn=seed_rank):
        pass


offsets = load()
number = {number}
train()
"""
    agree(tmp_path, {"main.py": _HEAD + program}, "DL204", target_torch="1.8")


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            f"""\
    def __getitem__(self, index):
        with torch.random.fork_rng(devices=[]):
            return self.noise(index)

    def noise(self, index):
        torch.manual_seed(index)
        return torch.rand(1)
{_LOADED}""",
            id="a caller keeps torch's state",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        with torch.random.fork_rng(devices=[]):
            print(index)
        return self.noise(index)

    def noise(self, index):
        torch.manual_seed(index)  # expect: DL201
        return torch.rand(1)
{_LOADED}""",
            id="a block that has ended",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        with torch.random.fork_rng(devices=[]):
            random.seed(index)  # expect: DL201
            return random.random()
{_LOADED}""",
            id="another library's state",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        from lightning.fabric.utilities.seed import isolate_rng

        with isolate_rng():
            random.seed(index)
            torch.manual_seed(index)
            return random.random()
{_LOADED}""",
            id="Lightning keeps all states",
        ),
        pytest.param(
            f"""\
    def __getitem__(self, index):
        with Kept(index):
            return torch.rand(1)


class Kept:
    def __init__(self, number):
        self.number = number

    def __enter__(self):
        torch.manual_seed(self.number)  # expect: DL201

    def __exit__(self, *caught):
        print(self.number)
{_LOADED}""",
            id="an object that seeds and does not put the state back",
        ),
    ],
)
def test_states_that_are_put_back(program: str, tmp_path: Path) -> None:
    _agree(tmp_path, program)


@pytest.mark.parametrize(
    ("later", "found"),
    [
        ("loader.worker_init_fn = seed_worker", ""),
        ("loader.worker_init = seed_worker", "  # expect: DL202"),
        ("trainer.fit(loader, worker_init_fn=seed_worker)", "  # expect: DL202"),
    ],
)
def test_worker_init_fn_that_is_set_later(later: str, found: str, tmp_path: Path) -> None:
    program = f"""\
    def __getitem__(self, index):
        return np.random.rand()


def seed_worker(worker_id):
    np.random.seed(torch.initial_seed() % 2**32)


loader = DataLoader(Data(), num_workers=2){found}
{later}
"""
    _agree(tmp_path, program)


@pytest.mark.parametrize(
    ("init", "found"),
    [
        ("cv2.setNumThreads(0)", "DL202"),
        ("print(worker_id)", "DL202"),
        ("torch.set_num_threads(1)", "DL202"),
        ("pass", "DL202"),
        ("limit(1)", "DL202"),
        ("random.seed(torch.initial_seed())", "DL202"),
        ("prepare(worker_id)", ""),
        ("toolbox.prepare(worker_id)", ""),
        ("get_worker_info().dataset.prepare(worker_id)", ""),
        ("get_worker_info().dataset.seed = worker_id", ""),
        ("cv2.setNumThreads(0); np.random.seed(torch.initial_seed() % 2**32)", ""),
        ("limit(1); seed_numpy()", ""),
    ],
)
def test_worker_init_fn_that_leaves_numpy_alone(init: str, found: str, tmp_path: Path) -> None:
    program = f"""\
    def __getitem__(self, index):
        return np.random.rand()


import cv2
import toolbox
from toolbox import prepare


def limit(threads):
    torch.set_num_threads(threads)


def seed_numpy():
    np.random.seed(torch.initial_seed() % 2**32)


def init(worker_id):
    {init}


for batch in DataLoader(Data(), num_workers=2, worker_init_fn=init):  # expect: {found or "nothing"}
    pass
"""
    _agree(tmp_path, program)


@pytest.mark.parametrize("below", [False, True])
def test_worker_init_fn_that_a_subclass_may_replace(below: bool, tmp_path: Path) -> None:
    more = """
class Seeded(Training):
    def init(self, worker_id):
        np.random.seed(torch.initial_seed() % 2**32)
"""
    program = f"""\
    def __getitem__(self, index):
        return np.random.rand()


class Training:
    def init(self, worker_id):
        pass

    def loader(self):
        return DataLoader(Data(), num_workers=2, worker_init_fn=self.init){"" if below else "  # expect: DL202"}
{more if below else ""}"""
    _agree(tmp_path, program)


_INIT_CODES = ("DL202", "DL204", "DL205")


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("seed_all", "DL204"),
        ("partial(seed_two, seed=3)", ""),
        ("np.random.seed", "DL204"),
        ("random.seed", "DL204"),
        ("torch.manual_seed", "DL204"),
        ("np.random.seed, persistent_workers=True", ""),
        ("two", "DL205"),
        ("nothing", "DL205"),
        ("Seeder.method", "DL205"),
        ("Seeder().method", ""),
        ("Seeder.static", ""),
        ("np.random.seed(3)", "DL205"),
        ("seed_all(3)", "DL205"),
        ("torch.seed", ""),
    ],
)
def test_what_is_given_as_worker_init_fn(given: str, found: str, tmp_path: Path) -> None:
    """One finding for each mistake: what never runs, or raises, repeats nothing."""
    inside = "  # expect: DL204" if given == "seed_all" else ""
    outside = found if given != "seed_all" else ""
    program = f"""\
    def __getitem__(self, index):
        return np.random.rand()


from functools import partial


def seed_all(number):
    random.seed(number)
    np.random.seed(number){inside}


def seed_two(number, seed):
    np.random.seed(torch.initial_seed() % 2**32)


def two(number, seed):
    np.random.seed(seed)


def nothing():
    np.random.seed(1)


class Seeder:
    def method(self, number, more=None):
        np.random.seed(torch.initial_seed() % 2**32)

    @staticmethod
    def static(number):
        np.random.seed(torch.initial_seed() % 2**32)


for batch in DataLoader(Data(), num_workers=2, worker_init_fn={given}):  # expect: {outside or "nothing"}
    pass
"""
    agree(tmp_path, {"main.py": _HEAD + program}, *_INIT_CODES, target_torch="1.8")


@pytest.mark.parametrize("imported", [False, True])
def test_a_dataset_found_by_its_name_is_none_of_a_script_that_nobody_imports(
    imported: bool, tmp_path: Path
) -> None:
    read = """\
import numpy as np
from torch.utils.data import Dataset


class {name}(Dataset):
    def __len__(self):
        return 9

    def __getitem__(self, index):
        return {item}


if __name__ == "__main__":
    made = {name}()
    print([made[index] for index in range(9)])
"""
    found = """\
def get(name):
    return globals()[name]()
"""
    train = f"""\
import sys
import sets
from torch.utils.data import DataLoader

kept = sets.get(sys.argv[1])
loader = DataLoader(kept, num_workers=2){"  # expect: DL202" if imported else ""}
"""
    files = {
        "sets/__init__.py": "from .plain import Plain\n"
        + ("from .noise import Noise\n" if imported else "")
        + found,
        "sets/plain.py": read.format(name="Plain", item="index"),
        "sets/noise.py": read.format(name="Noise", item="np.random.rand()"),
        "train.py": train,
    }
    agree(tmp_path, files, "DL202", target_torch="1.8")


@pytest.mark.parametrize("below", [True, False])
def test_draws_of_a_transform_count_for_the_loader_that_gets_it(below: bool, tmp_path: Path) -> None:
    """``transform`` is given two objects, one after the other."""
    added = "transform.transforms.append(Cut())"
    program = f"""

import torchvision.transforms as T
from torchvision.datasets import CIFAR10


class Cut:
    def __call__(self, image):
        return image * np.random.rand()


def loader(root):
    transform = T.Compose([T.ToTensor()])
    {added if below else "pass"}
    shown = CIFAR10(root, transform=transform)
    transform = T.Compose([T.ToTensor()])
    {"pass" if below else added}
    return DataLoader(CIFAR10(root, transform=transform), num_workers=2){"" if below else "  # expect: DL202"}
"""
    _agree(tmp_path, program)


@pytest.mark.parametrize(
    ("made", "condition"),
    [
        ("torch.nn.functional.pad(row, (0, 8))", "worker code draws from torch"),
        ("F.one_hot(row, 9)", "worker code draws from torch"),
        ("F.interpolate(F.normalize(row), scale_factor=2)", "worker code draws from torch"),
        ("torch.nn.utils.rnn.pad_sequence([row])", "worker code draws from torch"),
        ("F.dropout(row)", None),
        ("F.rrelu(row, training=True)", None),
        ("F.gumbel_softmax(row)", None),
        ("F.scaled_dot_product_attention(row, row, row, dropout_p=0.1)", None),
        ("F.pad(torch.nn.Dropout()(row), (0, 8))", None),
    ],
)
def test_functions_of_torch_that_draw_and_that_do_not(
    made: str, condition: str | None, tmp_path: Path
) -> None:
    item = f"torch.manual_seed(at)\n        random.seed(at)\n        row = torch.ones(random.randrange(9))\n        return {made}"
    text = f"{_HEAD}    def __getitem__(self, at):\n        {item}\n{_LOADED}"
    (tmp_path / "main.py").write_text(
        text.replace("import torch\n", "import torch\nimport torch.nn.functional as F\n")
    )
    found = engine.check([tmp_path], Settings(select=("DL201",))).findings
    (of_torch,) = [each for each in found if each.message.startswith("torch.manual_seed")]
    assert of_torch.condition == condition


@pytest.mark.parametrize(
    ("transform", "libraries"),
    [
        ("transforms.RandomCrop(8)", "random and torch"),
        ("transforms.Compose([transforms.Resize(9), transforms.RandomHorizontalFlip()])", "random and torch"),
        ("transforms.Compose([transforms.Resize(9), transforms.ToTensor()])", "random"),
        ("transforms.RandomHorizontalFlip(p=1.0)", "random"),
    ],
)
def test_what_transforms_draw_is_told(tmp_path: Path, transform: str, libraries: str) -> None:
    text = f"""
    def __getitem__(self, index):
        seed_all(7)
        return transforms.functional.rotate(TRANSFORM(index), random.uniform(0, 9))


TRANSFORM = {transform}


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
"""
    (tmp_path / "main.py").write_text(f"from torchvision import transforms\n{_HEAD}{text}{_LOADED}")
    (found,) = engine.check([tmp_path], Settings(select=("DL201",))).findings
    assert f"every draw from {libraries} after it repeats" in found.message
