"""Returns None for an age nobody knows, after others in the batch."""

import torch
from torch.utils.data import DataLoader, Dataset


class Ages(Dataset):
    def __init__(self, ages):
        self.ages = ages

    def __len__(self):
        return len(self.ages)

    def __getitem__(self, index):
        age = self.ages[index].item()
        if age < 0:
            return None  # expect: DL502
        return age


def main():
    ages = torch.tensor([31, 24, -1, 65, 17, 48, 52, 39])
    loader = DataLoader(Ages(ages), batch_size=4, num_workers=2)
    print("sum of ages", sum(batch.clamp(min=0).sum().item() for batch in loader))


if __name__ == "__main__":
    main()
