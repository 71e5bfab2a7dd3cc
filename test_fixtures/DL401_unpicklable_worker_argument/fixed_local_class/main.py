"""Chooses the dataset class by the task's name."""

from factory import get_dataset
from torch.utils.data import DataLoader


def main():
    dataset_class = get_dataset("squared")
    loader = DataLoader(dataset_class(100), batch_size=10, num_workers=2)
    total = sum(batch.sum().item() for batch in loader)
    print("sum of squares", total)


if __name__ == "__main__":
    main()
