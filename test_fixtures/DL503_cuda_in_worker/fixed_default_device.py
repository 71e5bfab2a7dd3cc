"""Has all tensors made on the GPU, but those that workers make."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((64,), float(index)) / 64, index % 10


def start_worker(worker_id):
    torch.set_default_device("cpu")


def main():
    torch.set_default_device("cuda")
    model = nn.Linear(64, 10)
    loader = DataLoader(Digits(), batch_size=8, num_workers=2, worker_init_fn=start_worker)
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images.to("cuda")), labels.to("cuda"))
        loss.backward()
    print("last loss", loss.item())


if __name__ == "__main__":
    main()
