"""Train with two threads in every worker; the model has already run once in the parent."""
import torch
from torch.utils.data import DataLoader, Dataset


def init_worker(worker_id):
    torch.set_num_threads(2)  # expect: DL106


class Spectra(Dataset):
    def __init__(self, length):
        self.signals = torch.randn(length, 200_000)

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, index):
        return (self.signals[index].sin() + self.signals[index].cos())[::200]


def main():
    spectra = Spectra(16)
    torch.set_num_threads(max(2, torch.get_num_threads()))
    mean = spectra.signals.sin().mean()  # large enough for torch to use its threads
    model = torch.nn.Linear(1000, 2)
    for batch in DataLoader(spectra, batch_size=4, num_workers=2, worker_init_fn=init_worker):
        model(batch - mean).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
