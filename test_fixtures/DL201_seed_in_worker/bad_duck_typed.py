"""A dataset that is no subclass of anything; the loader does not mind."""

import random as rnd

import torch
from torch import nn
from torch.utils.data import DataLoader


class Walks:
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return self.walk(steps=5)

    def walk(self, steps):
        rnd.seed(2021)  # expect: DL201
        position, path = 0.0, []
        for _ in range(steps):
            position += rnd.gauss(0, 1)
            path.append(position)
        return torch.tensor(path)


def main():
    walks = Walks(8)
    loader = DataLoader(walks, batch_size=2, num_workers=2)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    ends = set()
    for epoch in range(3):
        for paths in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(paths[:, :4]), paths[:, 4:]).backward()
            optimizer.step()
            ends.update(paths[:, 4].tolist())
    print(f"dlint-measure: {len(ends)}")


if __name__ == "__main__":
    main()
