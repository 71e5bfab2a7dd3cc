"""Train on bags of instances; every bag is read with a DataLoader inside the worker."""
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Bags(Dataset):
    def __init__(self, count):
        self.bags = [TensorDataset(torch.randn(8, 16)) for _ in range(count)]

    def __len__(self):
        return len(self.bags)

    def __getitem__(self, index):
        loader = DataLoader(self.bags[index], batch_size=4, num_workers=0)
        return torch.cat([instances for (instances,) in loader])


def main():
    model = torch.nn.Linear(16, 2)
    for bags in DataLoader(Bags(16), batch_size=4, num_workers=2):
        model(bags).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
