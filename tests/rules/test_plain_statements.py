"""What is written in one statement, or as a ``match``, is found as what does the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from program.sources import agree

_PAIR = """\
import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def main(train, val):
    torch.distributed.init_process_group("gloo")
    {setting}
    train_loader = DataLoader(train, batch_size=8, sampler=train_sampler, num_workers=4)
    val_loader = DataLoader(val, batch_size=8, sampler=val_sampler, num_workers=4)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        {told}
        for (batch,) in train_loader:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
        with torch.no_grad():
            for (batch,) in val_loader:
                model(batch)


if __name__ == "__main__":
    main(TensorDataset(torch.ones(64, 1)), TensorDataset(torch.ones(64, 1)))
"""
_SAMPLERS = "train_sampler, val_sampler = DistributedSampler(train), DistributedSampler(val, shuffle=False)"

_MODES = """\
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __init__(self, mode):
        self.mode = mode

    def __len__(self):
        return 100

    def __getitem__(self, index):
        match self.mode:
            case {cases}:
                return np.random.rand(3)
            case _:
                return np.zeros(3)


def main():
    train = DataLoader(Photos("train"), num_workers=4)  # expect: DL202
    val = DataLoader(Photos("val"), num_workers=4)
    for batch in train:
        for other in val:
            print(batch, other)


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("told", ["pass", "train_sampler.set_epoch(epoch)"])
def test_samplers_made_in_one_statement(tmp_path: Path, told: str) -> None:
    expected = "  # expect: DL207" if told == "pass" else ""
    agree(tmp_path, {"main.py": _PAIR.format(setting=_SAMPLERS + expected, told=told)})


@pytest.mark.parametrize("cases", ['"train"', '"train" | "all"', '"train" if True'])
def test_a_dataset_that_draws_in_one_mode(tmp_path: Path, cases: str) -> None:
    agree(tmp_path, {"main.py": _MODES.format(cases=cases)}, target_torch="1.8")
