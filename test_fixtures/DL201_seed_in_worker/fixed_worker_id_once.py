"""Optical flow training where the dataset seeds itself once a worker, from the worker's id."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info


class FlowPairs(Dataset):
    def __init__(self, length):
        self.length = length
        self.seeded = False

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if not self.seeded:
            info = get_worker_info()
            if info is not None:
                torch.manual_seed(info.seed)
                random.seed(info.seed)
                self.seeded = True
        shift = random.random()
        first = torch.rand(4)
        return first, first + shift, shift


def main():
    loader = DataLoader(FlowPairs(8), batch_size=2, num_workers=2)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    shifts = set()
    for epoch in range(3):
        for first, second, shift in loader:
            optimizer.zero_grad()
            predicted = model(torch.cat([first, second], 1).float()).squeeze(1)
            nn.functional.mse_loss(predicted, shift.float()).backward()
            optimizer.step()
            shifts.update(shift.tolist())
    print(f"dlint-measure: {len(shifts)}")


if __name__ == "__main__":
    main()
