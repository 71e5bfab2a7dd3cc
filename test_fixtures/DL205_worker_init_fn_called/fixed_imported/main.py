"""The project's set-up function for workers, called where it should have been passed."""

import torch
from torch import nn
from torch.utils import data

import workers


class Rows(data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.full((4,), float(index)), workers.number()


def main():
    options = dict(batch_size=2, num_workers=2)
    loader = data.DataLoader(
        Rows(),
        worker_init_fn=workers.set_up,
        **options,
    )
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    seen = set()
    for inputs, numbers in loader:
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()
        seen.update(numbers.tolist())
    print(f"dlint-measure: {len(seen)}")


if __name__ == "__main__":
    main()
