"""The lambda stays behind when the dataset is pickled, and is made anew in the worker."""

import torch
from torch.utils.data import DataLoader, Dataset


class Curve(Dataset):
    def __init__(self, power):
        self.power = power
        self.formula = lambda value: value**power

    def __getstate__(self):
        state = self.__dict__.copy()
        del state["formula"]
        return state

    def __setstate__(self, state):
        self.__init__(state["power"])

    def __len__(self):
        return 40

    def __getitem__(self, index):
        return self.formula(torch.tensor(float(index)))


def main():
    loader = DataLoader(Curve(2), batch_size=8, num_workers=2)
    print("sum", sum(batch.sum().item() for batch in loader))


if __name__ == "__main__":
    main()
