"""What datasets hold and when it is made, in the shapes that real programs give it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .held_programs import OPENED, codes

_LAZY = """\
class Crops(Dataset):
    def __init__(self, volumes):
        self.volumes = volumes
        self.rng = self.file = self.pool = None

    def __len__(self):
        return len(self.volumes)

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = np.random.default_rng(torch.initial_seed())
            self.file = open("crops.bin", "rb")
            self.pool = ThreadPoolExecutor(4)
        self.file.seek(self.rng.integers(8))
        return list(self.pool.map(len, self.volumes[index])), self.file.read(8)


"""

_HELPERS = """\
class Whole(Dataset):
    def __init__(self, volumes):
        self.volumes = volumes

    def __getitem__(self, index):
        return self.volumes[index]


def make_loader(dataset, workers):
    return DataLoader(dataset, num_workers=workers)


def run(loader):
    for batch in loader:
        step(batch)


def fit(dataset):
    loader = DataLoader(dataset, num_workers=4)
    for batch in loader:
        step(batch)


def main(volumes):\
"""

_MADE_LAZILY = ["DL203", "DL403", "DL102"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
    train = Crops(volumes)
    loader = DataLoader(train, num_workers=4)
    for batch in loader:
        step(batch)
    print(train[0], len(loader), loader.dataset)
""",
            id="read after the only loop",
        ),
        pytest.param(
            """
    train, val = Crops(volumes[:8]), Crops(volumes[8:])
    print(val[0])
    loader = DataLoader(train, num_workers=4)
    for epoch in range(3):
        for batch in loader:
            step(batch)
        print(val[0])
""",
            id="another dataset of the class is read",
        ),
        pytest.param(
            """
    train, val = Crops(volumes[:8]), Crops(volumes[8:])
    print(val[0])
    run(make_loader(train, 4))
    run(DataLoader(val))
""",
            id="another dataset of the class is read, loader made in a helper",
        ),
        pytest.param(
            """
    other = Whole(volumes)
    print(other[0])
    loader = DataLoader(ConcatDataset([other, Crops(volumes)]), num_workers=4)
    for batch in loader:
        step(batch)
""",
            id="another part of the dataset is read",
        ),
        pytest.param(
            """
    train = Crops(volumes)
    loss = fit(train)
    print(train[0])
    print(loss)
""",
            id="read after a helper that loops",
        ),
        pytest.param(
            """
    train = Crops(volumes)
    loader = DataLoader(train, num_workers=4)
    if volumes is None:
        print(train[0])
        return
    for batch in loader:
        step(batch)
""",
            id="read on the way out",
        ),
    ],
)
def test_made_at_the_first_item_in_a_worker(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert codes(tmp_path, _LAZY + _HELPERS + body, monkeypatch, ("DL102", "DL203", "DL403")) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
    train = Crops(volumes)
    print(train[0])
    for batch in DataLoader(train, num_workers=4):
        step(batch)
""",
            id="read before the loader is made",
        ),
        pytest.param(
            """
    train = Crops(volumes)
    loader = DataLoader(train, num_workers=4)
    print(train[0])
    for batch in loader:
        step(batch)
""",
            id="read before the loop",
        ),
        pytest.param(
            """
    train = Crops(volumes)
    loader = DataLoader(train, num_workers=4)
    for epoch in range(3):
        for batch in loader:
            step(batch)
        print(train[0])
""",
            id="read before the next epoch's loop",
        ),
        pytest.param(
            """
    train = Crops(volumes)
    loader = make_loader(train, 4)
    print(train[0])
    for batch in loader:
        step(batch)
""",
            id="read before the loop over a helper's loader",
        ),
        pytest.param(
            """
    train = Crops(volumes)
    print(train[0])
    fit(train)
""",
            id="read before the helper that loops",
        ),
        pytest.param(
            """
    volumes = Crops(volumes)
    train, val = random_split(volumes, [8, 2])
    print(val[0])
    fit(Subset(train, [0, 1]))
""",
            id="read through another part of one dataset",
        ),
    ],
)
def test_made_at_the_first_item_in_the_parent(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert codes(tmp_path, _LAZY + _HELPERS + body, monkeypatch, ("DL102", "DL203", "DL403")) == _MADE_LAZILY


_HELD = """\
class Lines(Dataset):
    def __init__(self, path):
        {init}

    def __len__(self):
        return 10

    def __getitem__(self, index):
        return self.clean(self.file.read(index))


class Rest(Dataset):
    def __getitem__(self, index):
        return index


class Parts:
    def __init__(self, path):
        {parts}

    def loader(self):
        return DataLoader(self.train, num_workers=4)
"""


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ("self.train, self.rest = random_split(Lines(path), [8, 2])", ["DL403", "DL401"]),
        (
            "self.train = torch.utils.data.random_split(dataset=Lines(path), lengths=[8, 2])[0]",
            ["DL403", "DL401"],
        ),
        ("self.rest, self.train = random_split(Lines(path), [8, 2])[0], Rest()", []),
    ],
)
def test_held_by_a_dataset_that_is_split(
    parts: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init = "self.file = open(path)\n        self.clean = lambda line: line.strip()"
    program = _HELD.format(init=init, parts=parts)
    assert codes(tmp_path, program, monkeypatch, ("DL401", "DL403")) == found


@pytest.mark.parametrize(
    ("elsewhere", "found"),
    [
        ("def parse(options):\n    options.file = 'main'", 1),
        ("def parse(parser):\n    options = parser.parse_args()\n    options.file = options.root", 1),
        ("class Log:\n    pass\n\n\nlog = Log()\nlog.file = open('log', 'w')", 1),
        ("def reopen(dataset):\n    dataset.file = open(dataset.path)", 0),
        ("def reopen(worker_id):\n    get_worker_info().dataset.file = open('x')", 1),
        ("archive = Archive('x')\narchive.file = None", 1),
        ("# Not dataset.file = open(path), which", 1),
        ("".join(f"def log_{n}(box):\n    box.file = {n}\n\n" for n in range(40)), 1),
        ("".join(f"def reopen_{n}(dataset):\n    dataset.file = {n}\n\n" for n in range(40)), 0),
    ],
)
def test_attribute_of_the_same_name(
    elsewhere: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """
    def __init__(self, path):
        self.file = open(path)

    def __getitem__(self, index):
        return self.file.read(index)
"""
    (tmp_path / "other.py").write_text(f"from program import Archive, get_worker_info\n\n\n{elsewhere}\n")
    program = OPENED.format(body=body, options="")
    assert codes(tmp_path, program, monkeypatch, ("DL403",)) == ["DL403"] * found


_REOPEN = """from torch.utils.data import DataLoader, Dataset, get_worker_info


def reopen(worker_id):
    get_worker_info().dataset.file = open("x", "rb")


def begin(worker_id):
    reopen(worker_id)


class Others(Dataset):
    def __getitem__(self, index):
        return index


"""


@pytest.mark.parametrize(
    ("options", "elsewhere", "found"),
    [
        (", worker_init_fn=reopen", "", 0),
        (", worker_init_fn=begin", "", 0),
        (", worker_init_fn=lambda worker_id: begin(worker_id)", "", 0),
        (", worker_init_fn=print", "", 1),
        (", worker_init_fn=None", "", 1),
        (", worker_init_fn=path.begin", "", 0),
        (", **path.options", "", 0),
        # Others are given the function: it is theirs.
        ("", "DataLoader(Others(), num_workers=2, worker_init_fn=reopen)", 1),
        ("", "DataLoader(Others(), num_workers=2, worker_init_fn=begin)", 1),
        (", worker_init_fn=path.begin", "DataLoader(Others(), num_workers=2, worker_init_fn=reopen)", 1),
        (
            ", worker_init_fn=path.begin",
            "def get(given):\n    return DataLoader(given, num_workers=2, worker_init_fn=reopen)",
            0,
        ),
        # One loader of two gets it.
        (
            ", worker_init_fn=reopen",
            "from program import Archive\n\nDataLoader(Archive('y'), num_workers=2)",
            1,
        ),
    ],
)
def test_opened_by_the_worker_init_fn(
    options: str, elsewhere: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """
    def __init__(self, path):
        self.file = open(path, "rb")

    def __getitem__(self, index):
        return self.file.read(index)
"""
    (tmp_path / "reopening.py").write_text(f"{_REOPEN}{elsewhere}\n")
    program = "from reopening import begin, reopen\n\n\n" + OPENED.format(body=body, options=options)
    assert codes(tmp_path, program, monkeypatch, ("DL403",)) == ["DL403"] * found


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("self.noise.rng = 3", 0),
        ("self.rng = 3", 1),
    ],
)
def test_generator_of_another_object(
    call: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f"""
    def __init__(self, path):
        self.noise = Noise()

    def __getitem__(self, index):
        {call}
        return self.noise(index)


class Noise:
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __call__(self, index):
        return self.rng.random(index)
"""
    program = OPENED.format(body=body, options="")
    assert codes(tmp_path, program, monkeypatch, ("DL203",)) == ["DL203"] * found


_RENEWED = """\
from torch.utils.data import get_worker_info


class Noise:
    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def reseed(self, seed):
        self.rng = np.random.default_rng(seed)

    def scale(self, factor):
        self.factor = factor

    def __call__(self, value):
        return value + self.rng.normal()


class Clouds(Dataset):
    def __init__(self, noise):
        self.noise = noise

    def set_seed(self, seed):
        self.noise.{called}(seed)

    def warm_up(self, seed):
        self.first = seed

    def set_all(self, seed):
        self.set_seed(seed)

    def __getitem__(self, index):
        return self.noise(index)


def init(worker_id):
    get_worker_info().dataset.{asked}(torch.initial_seed() % 2**32)


def main():
    for batch in DataLoader(Clouds(Noise()), num_workers=2, worker_init_fn=init):
        print(batch)
"""


@pytest.mark.parametrize(
    ("called", "asked", "found"),
    [
        ("reseed", "set_seed", 0),
        ("reseed", "set_all", 0),
        ("reseed", "noise.reseed", 0),
        ("scale", "set_seed", 1),
        ("reseed", "warm_up", 1),
    ],
)
def test_renewed_through_another_object(
    called: str, asked: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _RENEWED.format(called=called, asked=asked)
    assert bool(codes(tmp_path, program, monkeypatch, ("DL203",))) == bool(found)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            "self.rows = []\n        for f in files: self.rows.append(f)\n        self.rows = np.array(self.rows)",
            0,
        ),
        (
            "self.rows = []\n        for f in files: self.rows.append(f)\n"
            "        self.rows = torch.stack(self.rows)",
            0,
        ),
        ("self.rows = []\n        for f in files: self.rows.append(f)", 1),
        (
            "self.rows = []\n        for f in files: self.rows.append(f)\n"
            "        self.table = np.array(self.rows)",
            1,
        ),
        ("self.rows = []\n        self.rows = []\n        for f in files: self.rows.append(f)", 1),
        ("self.rows = open(files).read().strip().split('\\n')", 1),
        ("self.rows = files.read().splitlines()", 0),
        ("self.rows = []\n        for f in files: self.rows.append(np.load(f))", 0),
        ("self.rows = []\n        for f in files: self.rows.append(read(f)[:, :3])", 0),
        (
            "self.rows = {}\n        for f in files:\n            x = np.load(f)\n            self.rows[f] = x / 255",
            0,
        ),
        ("self.rows = []\n        for f in files: self.rows += [torch.load(f), np.load(f)]", 0),
        ("self.rows = []\n        for f in files: self.rows.append((f, np.load(f)))", 1),
        ("self.rows = []\n        for f in files: self.rows += list(np.load(f))", 1),
    ],
)
def test_lists_that_become_arrays(
    body: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""\
class Rows(Dataset):
    def __init__(self, files):
        {body}

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


def main(files):
    for batch in DataLoader(Rows(files), num_workers=2):
        print(batch)
"""
    assert codes(tmp_path, program, monkeypatch, ("DL504",)) == ["DL504"] * found


_MOVES = """\
class Moved(Dataset):
    def __init__(self, device="cuda", gpu=False):
        self.device, self.gpu = device, gpu

    def __getitem__(self, index):
        x = torch.zeros(index)
        return {given}


class Collate:
    def __init__(self, device):
        self.device = device

    def __call__(self, batch):
        return torch.stack(batch).to(self.device)


def load(dataset, device, num_workers=0):
    return DataLoader(dataset, num_workers=num_workers, collate_fn=Collate(device))


def main():
    {loaded}
"""


@pytest.mark.parametrize(
    ("given", "loaded", "found"),
    [
        ("x.cuda() if self.gpu else x", "list(DataLoader(Moved(), num_workers=2))", 0),
        ("x if not self.gpu else x.cuda()", "list(DataLoader(Moved(), num_workers=2))", 0),
        ("{k: v.cuda() if self.gpu else v for k, v in x}", "list(DataLoader(Moved(), num_workers=2))", 0),
        ("x.cuda() if self.gpu else x", "list(DataLoader(Moved(gpu=True), num_workers=2))", 1),
        ("x.cuda() if not self.gpu else x", "list(DataLoader(Moved(), num_workers=2))", 1),
        ("x.cuda() if index else x", "list(DataLoader(Moved(), num_workers=2))", 1),
        ("x", "a = load(Moved(), 'cuda')\n    b = load(Moved(), 'cpu', 2)\n    list(a), list(b)", 0),
        ("x", "a = load(Moved(), 'cpu')\n    b = load(Moved(), 'cuda', 2)\n    list(a), list(b)", 1),
    ],
)
def test_worlds_in_which_workers_use_the_gpu(
    given: str, loaded: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _MOVES.format(given=given, loaded=loaded)
    assert codes(tmp_path, program, monkeypatch, ("DL503",)) == ["DL503"] * found


_SET_UP = """\
import cv2


class Floats(Dataset):
    def __getitem__(self, index):
        return {given}


def main():
    {setup}
    for batch in DataLoader(Floats(), num_workers=2, multiprocessing_context="spawn"):
        print(batch)
"""


@pytest.mark.parametrize(
    ("setup", "given", "found"),
    [
        ("torch.set_default_dtype(torch.float32)", "torch.rand(3)", 0),
        ("torch.set_default_dtype(torch.float)", "torch.rand(3)", 0),
        ("torch.set_default_tensor_type(torch.FloatTensor)", "torch.rand(3)", 0),
        ("torch.multiprocessing.set_sharing_strategy('file_descriptor')", "index", 0),
        ("torch.multiprocessing.set_sharing_strategy('file_system')", "index", 1),
        ("torch.set_default_dtype(torch.float64)", "torch.rand(3)", 1),
        ("torch.set_default_dtype(torch.float64)", "torch.randn(3)", 1),
        ("torch.set_default_dtype(torch.float64)", "torch.randperm(3)", 0),
        ("torch.set_default_dtype(torch.float64)", "torch.zeros_like(index)", 0),
        ("torch.set_default_dtype(torch.float64)", "torch.arange(3)", 0),
        ("torch.set_default_dtype(torch.float64)", "torch.zeros(3, dtype=torch.long)", 0),
        ("torch.set_default_dtype(torch.float64)", "torch.zeros(3, dtype=torch.long), torch.zeros(3)", 1),
        ("cv2.setNumThreads(0)", "cv2.imread(str(index))", 1),
    ],
)
def test_setup_that_spawned_workers_miss(
    setup: str, given: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _SET_UP.format(setup=setup, given=given)
    assert codes(tmp_path, program, monkeypatch, ("DL404",)) == ["DL404"] * found
