"""Random erasing with "the new NumPy generator", kept on the dataset."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Erased(Dataset):
    def __init__(self, length):
        self.images = np.ones((length, 8, 8), dtype=np.float32)
        self._rng_by_worker = {None: np.random.default_rng(0)}

    @property
    def rng(self):
        # A copied generator would give all workers the same numbers.
        worker = torch.utils.data.get_worker_info()
        key = worker.seed if worker else None
        if key not in self._rng_by_worker:
            seed = [torch.initial_seed(), 0]
            self._rng_by_worker[key] = np.random.default_rng(seed)
        return self._rng_by_worker[key]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index].copy()
        strength = self.rng.random()
        top = self.rng.integers(4)
        image[top : top + 4] *= strength
        return image, index % 2, strength


def main():
    loader = DataLoader(Erased(8), batch_size=2, num_workers=2)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    strengths = set()
    for epoch in range(3):
        for images, labels, strength in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
            strengths.update(strength.tolist())
    print(f"dlint-measure: {len(strengths)}")


if __name__ == "__main__":
    main()
