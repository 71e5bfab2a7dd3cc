"""Train on rows; a subprocess decodes each item, so that a crash of the decoder does no harm."""
import json
import subprocess
import sys

import torch
from torch.utils.data import DataLoader, Dataset

DECODER = "import json, sys; print(json.dumps([float(sys.argv[1])] * 8))"


class Isolated(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        # A program of its own, not a child of multiprocessing: workers may start those.
        told = subprocess.run([sys.executable, "-S", "-c", DECODER, str(index)], capture_output=True, check=True)
        return torch.tensor(json.loads(told.stdout))


def main():
    model = torch.nn.Linear(8, 2)
    for rows in DataLoader(Isolated(), batch_size=4, num_workers=2):
        model(rows).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
