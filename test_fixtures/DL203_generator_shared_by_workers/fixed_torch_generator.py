"""Masked modelling; the masks come from a torch.Generator kept on the dataset."""

import multiprocessing

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Masked(Dataset):
    def __init__(self, length, seed):
        self.rows = torch.ones(length, 10)
        self._generator_seed = seed
        self._generator_by_worker = {None: torch.Generator()}
        self.generator.manual_seed(seed)

    @property
    def generator(self):
        # A copied generator would give all workers the same numbers.
        worker = torch.utils.data.get_worker_info()
        key = worker.seed if worker else None
        if key not in self._generator_by_worker:
            seed = hash((torch.initial_seed(), self._generator_seed))
            self._generator_by_worker[key] = torch.Generator().manual_seed(seed)
        return self._generator_by_worker[key]

    def __getstate__(self):
        state = {**self.__dict__}
        # a spawned worker makes its own
        if multiprocessing.context.get_spawning_popen() is not None:
            state["_generator_by_worker"] = {}
        return state

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        noise = torch.rand(10, generator=self.generator)
        return self.rows[index] * (noise > 0.15), noise[0]


def main():
    loader = DataLoader(Masked(8, seed=3), batch_size=2, num_workers=2)
    model = nn.Linear(10, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    draws = set()
    for epoch in range(3):
        for rows, noise in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(rows), torch.ones_like(rows)).backward()
            optimizer.step()
            draws.update(noise.tolist())
    print(f"dlint-measure: {len(draws)}")


if __name__ == "__main__":
    main()
