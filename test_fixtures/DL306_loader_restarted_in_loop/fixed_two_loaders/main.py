"""Source and target batches for domain adaptation: the target loader is restarted for each batch."""

import torch
from torch import nn

from domains import make_loaders


def main():
    source_loader, target_loader = make_loaders()
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    seen = set()
    for (source, _), (target, numbers) in zip(source_loader, target_loader):
        optimizer.zero_grad()
        (model(source).mean() - model(target).mean()).square().backward()
        optimizer.step()
        seen.update(numbers.tolist())
    print(f"dlint-measure: {len(seen)}")


if __name__ == "__main__":
    main()
