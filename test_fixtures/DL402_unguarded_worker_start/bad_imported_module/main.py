"""Trains on centred data. The guard is here, but the import above it starts workers."""

from torch.utils.data import DataLoader

from statistics_of_training import MEAN, data


def main():
    loader = DataLoader(data, batch_size=6, num_workers=2)
    print("centred sum", sum((batch - MEAN).sum().item() for (batch,) in loader))


if __name__ == "__main__":
    main()
