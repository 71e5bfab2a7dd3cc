"""Persistent workers keep their generators alive, so epochs differ; the workers still draw alike."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Shifted(Dataset):
    def __init__(self, length):
        self.length = length
        self._rng_by_worker = {None: random.Random()}

    @property
    def rng(self):
        # A copied generator would give all workers the same numbers.
        worker = torch.utils.data.get_worker_info()
        key = worker.seed if worker else None
        if key not in self._rng_by_worker:
            inherited = self._rng_by_worker[None]
            seed = torch.initial_seed() ^ inherited.getrandbits(64)
            self._rng_by_worker[key] = random.Random(seed)
        return self._rng_by_worker[key]

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        shift = self.rng.gauss(0, 1)
        return torch.full((3,), index + shift), float(index), shift


def main():
    loader = DataLoader(Shifted(8), batch_size=2, num_workers=2, persistent_workers=True)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    shifts = set()
    for epoch in range(3):
        for inputs, targets, shift in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(inputs).squeeze(1), targets.float()).backward()
            optimizer.step()
            shifts.update(shift.tolist())
    print(f"dlint-measure: {len(shifts)}")


if __name__ == "__main__":
    main()
