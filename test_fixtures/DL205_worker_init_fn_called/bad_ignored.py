"""Every worker ought to note its number when it starts, so that samples can be traced to it."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

worker = {"id": -1}


def init_worker(worker_id=0):
    worker["id"] = worker_id


class Traced(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.full((4,), float(index)), worker["id"]


def main():
    loader = DataLoader(Traced(), batch_size=2, num_workers=2, worker_init_fn=init_worker())  # expect: DL205
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    seen = set()
    for epoch in range(2):
        for inputs, workers in loader:
            optimizer.zero_grad()
            model(inputs).square().mean().backward()
            optimizer.step()
            seen.update(workers.tolist())
    print(f"dlint-measure: {len(seen)}")


if __name__ == "__main__":
    main()
