"""Variable-length sentences, padded by a collate function that also drops words at random."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self):
        self.sentences = [list(range(1, 3 + n)) for n in range(16)]

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, index):
        return torch.tensor(self.sentences[index])


def collate(batch):
    random.seed(1234)  # expect: DL201
    dropout = random.random()
    padded = nn.utils.rnn.pad_sequence(batch, batch_first=True)
    kept = padded * (torch.rand(padded.shape) > 0.5 * dropout)
    return padded, kept, dropout


def main():
    loader = DataLoader(Sentences(), batch_size=2, num_workers=2, collate_fn=collate)
    embedding = nn.Embedding(32, 4)
    optimizer = torch.optim.SGD(embedding.parameters(), lr=0.1)
    rates = set()
    for epoch in range(3):
        for words, kept, rate in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(embedding(kept).mean(1), embedding(words).mean(1).detach()).backward()
            optimizer.step()
            rates.add(rate)
    print(f"dlint-measure: {len(rates)}")


if __name__ == "__main__":
    main()
