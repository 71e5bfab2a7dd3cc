"""Trains on centred data."""

from torch.utils.data import DataLoader

from statistics_of_training import data, mean


def main():
    centre = mean()
    loader = DataLoader(data, batch_size=6, num_workers=2)
    print("centred sum", sum((batch - centre).sum().item() for (batch,) in loader))


if __name__ == "__main__":
    main()
