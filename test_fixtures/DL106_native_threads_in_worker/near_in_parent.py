"""The parent chooses how many threads it trains with; the workers keep the one that they get."""
import torch
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, length):
        self.signals = torch.randn(length, 100_000)

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, index):
        return self.signals[index].sin()[::100]


def main():
    torch.set_num_threads(2)
    spectra = Spectra(16)
    mean = spectra.signals.sin().mean()
    for batch in DataLoader(spectra, batch_size=4, num_workers=2):
        assert (batch - mean).shape == (4, 1000)


if __name__ == "__main__":
    main()
