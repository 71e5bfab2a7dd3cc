"""Text classification; the word dropout draws from a generator at module level of another file."""

import torch
from torch import nn
from torch.utils.data import DataLoader

from texts import Texts


def main():
    loader = DataLoader(Texts(8), batch_size=2, num_workers=2)
    embedding = nn.EmbeddingBag(16, 2)
    optimizer = torch.optim.SGD(embedding.parameters(), lr=0.1)
    rates = set()
    for epoch in range(3):
        for words, labels, rate in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(embedding(words), labels).backward()
            optimizer.step()
            rates.update(rate.tolist())
    print(f"dlint-measure: {len(rates)}")


if __name__ == "__main__":
    main()
