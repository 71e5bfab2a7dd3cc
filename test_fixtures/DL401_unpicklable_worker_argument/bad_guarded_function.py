"""A collate function defined under the main guard: a spawned worker never defines it."""

import torch
from torch.utils.data import DataLoader, Dataset


class Steps(Dataset):
    def __len__(self):
        return 60

    def __getitem__(self, index):
        return torch.full((3,), float(index))


if __name__ == "__main__":

    def stack_columns(batch):  # expect: DL401
        return torch.stack(batch, dim=1)

    loader = DataLoader(Steps(), batch_size=6, num_workers=2, collate_fn=stack_columns)
    print("columns", sum(batch.shape[1] for batch in loader))
