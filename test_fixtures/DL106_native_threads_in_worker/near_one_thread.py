"""One thread in a worker is what the DataLoader sets anyway."""
import torch
from torch.utils.data import DataLoader, Dataset


def init_worker(worker_id):
    torch.set_num_threads(1)


class Spectra(Dataset):
    def __init__(self, length):
        self.signals = torch.randn(length, 100_000)

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, index):
        return self.signals[index].sin()[::100]


def main():
    spectra = Spectra(16)
    print("mean", float(spectra.signals.sin().mean()))
    for batch in DataLoader(spectra, batch_size=4, num_workers=2, worker_init_fn=init_worker):
        assert batch.shape == (4, 1000)


if __name__ == "__main__":
    main()
