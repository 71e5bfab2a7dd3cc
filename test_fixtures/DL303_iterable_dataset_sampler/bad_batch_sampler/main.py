"""The stream is defined in another file, two classes below IterableDataset."""

import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler

from streams import ImageStream


def main():
    stream = ImageStream(32)
    batches = BatchSampler(SequentialSampler(range(32)), batch_size=8, drop_last=False)
    loader = DataLoader(stream, batch_sampler=batches, num_workers=2)  # expect: DL303
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for images, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
