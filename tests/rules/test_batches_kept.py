"""Batches that a program keeps, and what workers have sent of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint import engine
from dlint.settings.settings import Settings

_PROGRAM = """import itertools
from collections import defaultdict, deque
from itertools import islice

import numpy as np
import torch
import torch.multiprocessing
from torch.utils.data import DataLoader, Dataset, TensorDataset
from tqdm import tqdm


class Rows(Dataset):
    def __init__(self, rows, files):
        self.rows = torch.tensor(rows)
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return self.rows[index], index, self.files[index]


class Ten(Rows):
    def __len__(self):
        return 10


def gather(batch):
    return batch


def main(rows, files, model, device):
{start}    loader = DataLoader({dataset}, num_workers={workers}{given})
    kept, named, by_key, last = [], {{"x": [], "y": []}}, defaultdict(list), deque(maxlen=8)
    total, table = 0, torch.zeros(len(files), 4)
{body}
"""
_ROUND = """for x, y, file in loader:
    {}"""


def _count(
    tmp_path: Path,
    body: str,
    *,
    dataset: str = "Rows(rows, files)",
    workers: str = "2",
    given: str = "",
    start: str = "",
    name: str = "program.py",
    more: str = "",
) -> int:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = _PROGRAM.format(
        dataset=dataset, workers=workers, given=given, start=f"    {start}\n" if start else "", body=lines
    )
    (tmp_path / name).write_text(f"{text}\n\n{more}")
    report = engine.check([tmp_path], Settings(select=("DL507",)))
    assert not report.troubles
    # What nothing repairs says what to do by hand.
    assert all((finding.remedy is None) is bool(finding.by_hand) for finding in report.findings)
    return len(report.findings)


@pytest.mark.parametrize(
    "kept",
    [
        "kept.append(x)",
        "kept.append((x, y))",
        "kept.append({'x': x, 'file': file})",
        "kept.append(x.detach().cpu())",
        "kept.append(x.cpu().numpy())",
        "kept.append(x[0])",
        "kept.append(x[:, -1])",
        "kept.append(np.asarray(x))",
        "kept.append([row for row in x.unbind()])",
        "kept.extend(y)",
        "kept.extend(list(x))",
        "kept += [y]",
        "named['x'].append(x)",
        "by_key['x'].append(x.view(-1))",
        "named[file] = x",
        "x = x.squeeze(1)\n    kept.append(x)",
        "rows = x.unbind()\n    kept.append(rows)",
        "if model is not None:\n        kept.append(y)",
        "try:\n        kept.append(y)\n    except ValueError:\n        pass",
        "kept.append(x)\n    x = x.to(device)",
    ],
)
def test_what_keeps_a_file_open(tmp_path: Path, kept: str) -> None:
    assert _count(tmp_path, _ROUND.format(kept)) == 1


@pytest.mark.parametrize(
    "kept",
    [
        "kept.append(x.clone())",
        "kept.append(y.tolist())",
        "kept.append(y.sum().item())",
        "kept.extend(y.numpy())",
        "kept.extend(y.tolist())",
        "kept.append(x.numpy().copy())",
        "kept.append(np.array(x))",
        "kept.append(x[y > 3])",
        "kept.append(x.double())",
        "kept.append(model(x))",
        "kept.append(torch.stack([x, x]))",
        "kept.append(file)",
        "kept.append(len(x))",
        "kept.append((file, len(y)))",
        "x = x.to(device)\n    kept.append(x)",
        "x = model(x)\n    kept.append(x)",
        "if model is None:\n        x = x * 2\n    kept.append(x)",
        "total += y",
        "table[0] = x",
        "last.append(x)",
        "named['x'] = x",
        "kept = [x]",
        "kept.append(x)\n    kept.pop(0)",
        "kept.append(x)\n    del kept[:]",
        "kept.append(x)\n    kept = kept[-8:]",
        "kept.append(x)\n    if len(kept) > 8:\n        kept.clear()",
        "named['x'].append(x)\n    named = {'x': []}",
        "if len(kept) < 8:\n        kept.append(x)",
        "if total % 50 == 0:\n        kept.append(x)",
        "if not kept:\n        kept.append(x)",
        "kept.append(x)\n    break",
        "kept.append(x)\n    if y in last:\n        return kept",
    ],
)
def test_what_keeps_none(tmp_path: Path, kept: str) -> None:
    assert _count(tmp_path, _ROUND.format(kept)) == 0


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("kept = list(loader)", True),
        ("kept = tuple(tqdm(loader))", True),
        ("batches = itertools.cycle(loader)", True),
        ("kept = [x for x, y, file in loader]", True),
        ("kept = torch.cat([y for _, y, _ in loader])", True),
        ("kept = {i: batch for i, batch in enumerate(loader)}", True),
        ("kept = list(enumerate(loader))", True),
        ("kept = list(islice(loader, 10))", False),
        ("kept = list(zip(range(10), loader))", False),
        ("kept = [x.sum() for x, y, file in loader]", False),
        ("kept = [file for x, y, file in loader]", False),
        ("kept = [x for i, (x, y, file) in enumerate(loader) if i < 10]", False),
        ("kept = sum(len(x) for x, y, file in loader)", False),
        ("kept = list(loader.dataset.files)", False),
        ("kept = [*loader]", True),
        ("first, *kept = *loader,", True),
        ("kept, more, names = zip(*loader)", True),
        ("kept = [*files]", False),
        ("show(*loader)", False),
        ("kept = [*islice(loader, 8)]", False),
        ("for batch in tqdm(loader):\n    kept.append(batch)", True),
        ("for step, batch in enumerate(tqdm(loader)):\n    x, y, file = batch\n    kept.append(x)", True),
        ("for step, batch in enumerate(loader):\n    kept.append(batch[0])", True),
        ("for step, batch in enumerate(loader):\n    kept.append(batch[2])", False),
        ("for step, batch in enumerate(loader):\n    kept.append(step)", False),
        ("for batch in islice(loader, 8):\n    kept.append(batch)", False),
        ("for batch in files:\n    kept.append(batch)", False),
    ],
)
def test_what_is_gathered(tmp_path: Path, body: str, found: bool) -> None:
    assert _count(tmp_path, body) == found


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ({"workers": "0"}, False),
        ({"workers": "len(rows)"}, True),
        ({"given": ", pin_memory=True"}, False),
        ({"given": ", pin_memory=device is None"}, False),
        ({"given": ", pin_memory=False"}, True),
        ({"given": ", batch_size=64"}, True),
        ({"given": ", collate_fn=gather"}, False),
        ({"dataset": "Ten(rows, files)"}, False),
        ({"dataset": "TensorDataset(torch.rand(5000, 3))"}, True),
        ({"dataset": "TensorDataset(torch.rand(5000, 3))", "given": ", batch_size=100"}, False),
        ({"dataset": "files"}, False),
        ({"start": "torch.multiprocessing.set_sharing_strategy('file_system')"}, False),
        ({"start": "torch.multiprocessing.set_sharing_strategy('file_descriptor')"}, True),
        ({"name": "test_program.py"}, False),
    ],
)
def test_which_loader(tmp_path: Path, program: dict[str, str], found: bool) -> None:
    assert _count(tmp_path, "for batch in loader:\n    kept.append(batch)", **program) == found


@pytest.mark.parametrize(
    ("collate", "kept", "found"),
    [
        ("return torch.stack([b[0] for b in batch]), torch.tensor([b[1] for b in batch])", "batch[1]", True),
        ("return torch.stack([b[0] for b in batch]), [b[2] for b in batch]", "batch[0]", True),
        ("return torch.stack([b[0] for b in batch]), [b[2] for b in batch]", "batch[1]", False),
        ("return torch.stack([b[0] for b in batch]), [b[2] for b in batch]", "batch", True),
        ("x = torch.stack([b[0] for b in batch]).float()\n    return {'x': x, 'f': 'a'}", "batch['x']", True),
        ("out = {'f': 'a'}\n    out['x'] = torch.tensor(batch)\n    return out", "batch['x']", True),
        ("out = {'f': 'a'}\n    out['x'] = torch.tensor(batch)\n    return out", "batch['f']", False),
        ("return np.stack([b[0] for b in batch]), [b[2] for b in batch]", "batch[0]", False),
        ("return torch.stack([b[0] for b in batch]).numpy(), 1", "batch[0]", False),
        ("return torch.stack([b[0] for b in batch]).shape, 1", "batch[0]", False),
        ("x, y, files = zip(*batch)\n    return list(files), torch.stack(x)", "batch[1]", True),
        ("x, y, files = zip(*batch)\n    return list(files), torch.stack(x)", "batch[0]", False),
        ("if not batch:\n        return None\n    return torch.stack(batch), 1", "batch[0]", True),
    ],
)
def test_what_the_program_collates(tmp_path: Path, collate: str, kept: str, found: bool) -> None:
    program = f"def collate(batch):\n    {collate}\n"
    body = f"for batch in loader:\n    kept.append({kept})"
    assert _count(tmp_path, body, given=", collate_fn=collate", more=program) == found
    called = "class C:\n  " + program.replace("(batch):", "(self, batch):").replace("collate", "__call__")
    assert _count(tmp_path, body, given=", collate_fn=C()", more=called) == found


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("torch.cat(kept)", True),
        ("whole = torch.stack(kept, 0).mean()", True),
        ("kept = torch.cat(kept).numpy()", True),
        ("np.concatenate(kept)", False),
        ("torch.cat(named)", False),
        ("show(kept)", False),
    ],
)
def test_what_is_joined_in_the_end(tmp_path: Path, after: str, found: bool) -> None:
    body = f"for x in loader:\n    kept.append(x)\n{after}"
    assert _count(tmp_path, body, given=", collate_fn=gather") == found


@pytest.mark.parametrize(
    ("use", "found"),
    [
        ("x.size(0)", True),
        ("x.to(device)", True),
        ("x['images'].to(device)", True),
        ("images, masks = x\n    images.to(device)", True),
        ("model(x)", False),
        ("x.shape", False),
    ],
)
def test_what_the_code_takes_for_a_tensor(tmp_path: Path, use: str, found: bool) -> None:
    body = f"for x in loader:\n    kept.append(x)\n    {use}"
    assert _count(tmp_path, body, given=", collate_fn=gather") == found


_HOLDERS = """import torch
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        return torch.zeros(3), {item}


def gather(items):
    return {gathered}


def main():
    kept = []
    for first, second in DataLoader(Pairs(), num_workers=2{given}):
{body}
    return kept
"""
_DICT = "{'a': torch.zeros(4), 'b': index}"
_EACH = "        for each in second:\n            kept.append(each)"


@pytest.mark.parametrize(
    ("item", "gathered", "body", "repaired"),
    [
        ("torch.zeros(4)", "", "        kept.append(second)", True),
        (_DICT, "", "        kept.append(second)", False),
        ("(torch.zeros(4), index)", "", "        kept.append(second)", False),
        ("torch.zeros(4)", "tuple(zip(*items))", _EACH, True),
        (_DICT, "tuple(zip(*items))", _EACH, False),
        ("torch.zeros(4)", "tuple(zip(*items))", "        kept.append(second)", False),
        ("3", "torch.stack([a for a, _ in items]), torch.zeros(4)", "        kept.append(second)", True),
        ("3", "torch.zeros(4), [torch.tensor(b) for _, b in items]", "        kept.append(second)", False),
        ("3", "torch.zeros(4), (torch.zeros(4), 3)", "        kept.append(second)", False),
        ("torch.zeros(4)", "tuple(zip(*items))", "        kept.extend(second)\n    torch.stack(kept)", False),
        ("torch.zeros(4)", "", "        kept.extend(second)\n    torch.stack(kept)", True),
        (
            "torch.zeros(4)",
            "",
            "        parts = []\n        parts.append(second)\n        kept += parts",
            False,
        ),
        (
            "3",
            "",
            "        if first.sum():\n            second = second.numpy()\n        kept.append(second)",
            False,
        ),
    ],
)
def test_only_what_surely_is_a_tensor_or_an_array_is_copied(
    tmp_path: Path, item: str, gathered: str, body: str, repaired: bool
) -> None:
    """A tuple, a list or a dict of tensors has no ``clone``, and an array neither."""
    given = ", collate_fn=gather" if gathered else ""
    text = _HOLDERS.format(item=item, gathered=gathered or "items", given=given, body=body)
    (tmp_path / "program.py").write_text(text)
    (finding,) = engine.check([tmp_path], Settings(select=("DL507",))).findings
    assert (finding.remedy is not None) == repaired
