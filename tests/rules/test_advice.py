"""What is advised where nothing repairs a finding: it must do good, followed to the letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.finding import Finding
from dlint.settings.settings import Settings

_SHARES = """\
import random
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

class Files(IterableDataset):
    def __init__(self, names, rank=0, world_size=1):
        self.names, self.rank, self.world_size = names, rank, world_size
    def __iter__(self):
        info = get_worker_info()
        wid, workers = (info.id, info.num_workers) if info else (0, 1)
        {shuffle}
        yield from self.names[{part}]

if __name__ == "__main__":
    for name in DataLoader(Files(["a", "b"]), num_workers=2):
        print(name)
"""
_OF_WORKERS = "wid::workers"
_OF_RANKS = "self.rank * workers + wid :: self.world_size * workers"
_SEEDS = """\
import random
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)

class Pages(Dataset):
    def __init__(self, stable, seed):
        self.stable, self.seed = stable, seed
    def __len__(self):
        return 9
    def __getitem__(self, index):
        if self.stable:
            seed_all({seed})
        return {draw}

if __name__ == "__main__":
    for page in DataLoader(Pages(True, 7), num_workers=2):
        print(page)
"""


def _finding(code: str, program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Finding:
    (folder / "pyproject.toml").write_text("")
    (folder / "program.py").write_text(program)
    monkeypatch.chdir(folder)
    (finding,) = engine.check([Path()], Settings(select=(code,))).findings
    assert finding.by_hand is not None
    return finding


@pytest.mark.parametrize("part", [_OF_WORKERS, _OF_RANKS])
@pytest.mark.parametrize("test", ["", "if wid == 0: ", "if len(self.names) > 1: "])
def test_shares_of_unlike_orders(
    test: str, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _SHARES.format(shuffle=f"{test}random.shuffle(self.names)", part=part)
    finding = _finding("DL508", program, tmp_path, monkeypatch)
    assert ("not all workers shuffle self.names" in finding.message) is ("wid" in test)
    assert finding.by_hand is not None
    assert ("shuffle in all workers" in finding.by_hand) is ("wid" in test)
    assert ("ranks only where torch is seeded alike" in finding.by_hand) is (part is _OF_RANKS)
    assert finding.by_hand in finding.message


@pytest.mark.parametrize(
    ("seed", "draw", "advice"),
    [
        (
            "self.seed + index",
            "np.random.rand()",
            "hand np.random.default_rng(self.seed + index) to what draws",
        ),
        ("self.seed + index", "random.random()", "hand random.Random(self.seed + index) to what draws"),
        (
            "self.seed + index",
            "torch.rand(3)",
            "hand torch.Generator().manual_seed(self.seed + index) to what draws",
        ),
        ("7", "np.random.rand()", "take this call out of worker code"),
    ],
)
def test_a_helper_that_seeds(
    seed: str, draw: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _SEEDS.format(seed=seed, draw=draw)
    finding = _finding("DL201", program, tmp_path, monkeypatch)
    assert finding.by_hand is not None
    assert finding.by_hand.startswith(advice)


_FIRST_ITEM = """\
import numpy as np
from torch.utils.data import DataLoader, Dataset, get_worker_info

class Rows(Dataset):
    seeded = False
    def __len__(self):
        return 9
    def __getitem__(self, index):
        if {test}:
            np.random.seed(get_worker_info().id)
            self.seeded = True
        return np.random.rand()

if __name__ == "__main__":
    for row in DataLoader(Rows(), num_workers=2):
        print(row)
"""


@pytest.mark.parametrize(
    ("test", "says", "condition"),
    [
        ("not self.seeded", "worker code seeds it alike in every epoch", None),
        ("index == 3", "nothing seeds it", "torch is older than 1.9"),
    ],
)
def test_worker_code_that_seeds_by_its_number(
    test: str, says: str, condition: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = _finding("DL202", _FIRST_ITEM.format(test=test), tmp_path, monkeypatch)
    assert says in finding.message
    assert ("get_worker_info().seed" in finding.message) is (condition is None)
    assert (finding.condition or "").startswith(condition or "")
    assert (finding.condition is None) is (condition is None)


@pytest.mark.parametrize(
    ("options", "loop", "says"),
    [
        ("num_workers=2", "for epoch in range(9)", "all workers and epochs repeat them"),
        ("num_workers=2", "if True", "all workers repeat its numbers"),
        ("num_workers=2, persistent_workers=True", "for epoch in range(9)", "all workers repeat its numbers"),
        ("num_workers=1", "for epoch in range(9)", "every epoch repeats its numbers"),
    ],
)
def test_what_repeats_the_numbers(
    options: str, loop: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _FIRST_ITEM.format(test="index == 3").partition("    for")[0]
    program += f"    loader = DataLoader(Rows(), {options})\n    {loop}:\n"
    program += "        for row in loader:\n            print(row)\n"
    assert says in _finding("DL202", program, tmp_path, monkeypatch).message


@pytest.mark.parametrize(
    ("seed", "title"),
    [
        ("info.id", "Seed from info.seed in place of info.id"),
        ("info.id + 1", "Remove the seeding, or draw from a local generator"),
        ("3", "Remove the seeding, or draw from a local generator"),
    ],
)
def test_what_the_repair_of_a_seed_is_called(seed: str, title: str, tmp_path: Path) -> None:
    program = _FIRST_ITEM.format(test="not self.seeded").replace(
        "np.random.seed(get_worker_info().id)",
        f"info = get_worker_info()\n            np.random.seed({seed})",
    )
    (tmp_path / "program.py").write_text(program)
    (finding,) = engine.check([tmp_path], Settings(select=("DL201",))).findings
    assert finding.remedy is not None
    assert finding.remedy.summary == title


_CLIPS = """\
import av
import h5py
from torch.utils.data import DataLoader, Dataset

class Clips(Dataset):
    def __init__(self, path):
        self.source = {opened}
        {kept}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return len(self.source.{read})

if __name__ == "__main__":
    for clip in DataLoader(Clips("clips"), num_workers=2):
        print(clip)
"""
_AV, _H5 = "av.open(path)", 'h5py.File(path, "r")'


@pytest.mark.parametrize(
    ("opened", "kept", "left"),
    [
        (_AV, "self.stream = self.source.streams.video[0]", True),
        (_AV, "self.stream = self.source.streams.best('video')", True),
        (_AV, "self.stream = next(s for s in self.source.streams if s.type == 'video')", True),
        (_AV, "self.stream = [s for s in self.source.streams if s.type == 'video'][0]", True),
        (_AV, "for self.stream in self.source.streams: break", False),  # not followed
        (_AV, "for s in self.source.streams: self.stream = s", True),
        (_AV, "s = self.source.streams.video[0]; s.thread_type = 'AUTO'; self.stream = s", True),
        (_AV, "self.coder = self.source.streams.video[0].codec_context", True),
        (_AV, "self.frames = self.source.decode(video=0)", True),
        (_AV, "self.size = self.source.streams.video[0].frames", False),
        (_AV, "s = self.source.streams.video[0]; self.width = s.codec_context.width", False),
        (_AV, "self.kinds = [s.type for s in self.source.streams]", False),
        (_H5, "self.images = self.source['images']", False),  # the part becomes a property, too
        (_H5, "self.first = self.source['images'][0]", False),
        (_H5, "self.name = next(name for name in self.source)", False),
        (_H5, "self.best = next(row for row in self.source['images'])", False),
    ],
)
def test_a_part_that_is_kept_of_a_handle(
    opened: str, kept: str, left: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A handle for each process would leave the part as it is, and unfit to be sent."""
    program = _CLIPS.format(opened=opened, kept=kept, read="keys()")
    (tmp_path / "program.py").write_text(program)
    monkeypatch.chdir(tmp_path)
    (finding,) = engine.check([Path()], Settings(select=("DL403",))).findings
    assert (finding.remedy is None) is left
    assert ("take its parts there" in (finding.by_hand or "")) is left


_READERS = """\
from decord import VideoReader
from torch.utils.data import DataLoader, Dataset

class Clips(Dataset):
    def __init__(self, paths):
        self.readers = {kept}
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return self.readers{key}.get_batch([index])

if __name__ == "__main__":
    for clip in DataLoader(Clips(["a.mp4"]), num_workers=2):
        print(clip)
"""


@pytest.mark.parametrize(
    ("kept", "key", "said"),
    [
        ("VideoReader(paths[0])", "", "Clips.readers is a"),
        ("[VideoReader(path) for path in paths]", "[index]", "Clips.readers holds a"),
        ("{path: VideoReader(path) for path in paths}", "['a.mp4']", "Clips.readers holds a"),
    ],
)
def test_a_handle_of_which_no_process_may_let_go(
    kept: str, key: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _READERS.replace("{kept}", kept).replace("{key}", key)
    finding = _finding("DL403", program, tmp_path, monkeypatch)
    assert finding.by_hand is not None
    assert "one that lets go of the parent's reader hangs as well" in finding.by_hand
    assert finding.by_hand in finding.message
    assert finding.message.startswith(said)


@pytest.mark.parametrize(
    ("before", "remedy"),
    [
        (
            "sampler = None\n    if balanced:\n        sampler = RandomSampler(rows)",
            "shuffle_without_sampler",
        ),
        ("sampler = RandomSampler(rows)", "drop_argument"),
    ],
)
def test_a_loader_that_shuffles_where_there_is_no_sampler_goes_on_doing_so(
    before: str, remedy: str, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(
        "from torch.utils.data import DataLoader, RandomSampler\n\n\ndef make(rows, balanced=True):\n"
        f"    {before}\n    return DataLoader(rows, sampler=sampler, shuffle=True)\n\n\nmake(list(range(9)))\n"
    )
    (finding,) = engine.check([tmp_path], Settings(select=("DL301",))).findings
    assert finding.remedy is not None
    assert (finding.level, finding.remedy.name) == ("error", remedy)


_PARTIAL = """\
from functools import partial
from torch.utils.data import DataLoader
from torchvision.datasets import FakeData

def seed_worker({takes}):
    print(locals())

if __name__ == "__main__":
    for row in DataLoader(FakeData(), num_workers=2, worker_init_fn=partial(seed_worker, {given})):
        print(row)
"""


@pytest.mark.parametrize(
    ("takes", "given", "advice"),
    [
        ("seed, worker_id", "seed=3", "have the first parameter that the partial leaves free take"),
        ("worker_id, workers, rank, seed", "workers=2", "give rank and seed in the partial"),
        ("worker_id, workers, rank, seed", "2, rank=0", "give seed in the partial"),
        ("worker_id, *, rank, seed", "rank=0", "give seed in the partial"),
        ("seed", "3", "give it one parameter more"),
        ("worker_id, rank=0", "world=2", "leave world out of the partial"),
    ],
)
def test_a_partial_that_does_not_go_with_a_workers_number(
    takes: str, given: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _PARTIAL.format(takes=takes, given=given)
    finding = _finding("DL205", program, tmp_path, monkeypatch)
    assert finding.by_hand is not None
    assert finding.by_hand.startswith(advice)
    assert finding.by_hand in finding.message


_BANKS = """\
from functools import lru_cache
from zipfile import ZipFile
from torch.utils.data import DataLoader, Dataset

BANK = {{}}

@lru_cache(maxsize=None)
def opened(path):
    return ZipFile(path)

def found(path):
    if path not in BANK:
        BANK[path] = ZipFile(path)
    return BANK[path]

class Rows(Dataset):
    def __init__(self, path):
        self.path, self.bank = path, {{}}
        self.names = {get}.namelist()
    def own(self, path):
        if path not in self.bank:
            self.bank[path] = ZipFile(path)
        return self.bank[path]
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return {get}.read(self.names[index])

if __name__ == "__main__":
    for row in DataLoader(Rows("a.zip"), num_workers=2):
        print(row)
"""


@pytest.mark.parametrize(
    ("get", "own"), [("opened(self.path)", False), ("found(self.path)", False), ("self.own(self.path)", True)]
)
def test_handles_that_a_module_keeps_are_in_no_state(
    get: str, own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = _finding("DL403", _BANKS.format(get=get), tmp_path, monkeypatch)
    assert finding.by_hand is not None
    assert ("__getstate__" in finding.by_hand) is own
    assert "keyed on os.getpid()" in finding.by_hand
