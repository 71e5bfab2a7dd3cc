"""Train on colour palettes that scikit-learn finds in every image; the parent has tried it once."""
from sklearn.cluster import KMeans

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def palette(image):
    return KMeans(n_clusters=4, n_init=1, random_state=0).fit(image.reshape(-1, 3)).cluster_centers_  # expect: DL106


class Palettes(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        image = np.random.default_rng(index).random((64, 64, 3), dtype=np.float32)
        return torch.from_numpy(palette(image)).float()


def main():
    palettes = Palettes()
    print("palette of the first image:", palettes[0][0])
    model = torch.nn.Linear(12, 2)
    for batch in DataLoader(palettes, batch_size=4, num_workers=2):
        model(batch.flatten(1)).mean().backward()
    print("trained")


if __name__ == "__main__":
    main()
