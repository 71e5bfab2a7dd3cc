"""Point clouds through a pipeline of transforms that lives in other files."""

import torch
from torch import nn
from torch.utils import data

from pipeline import build_transform, seed_worker


class Clouds(data.Dataset):
    def __init__(self, length, transform):
        self.points = torch.zeros(length, 16, 3)
        self.transform = transform

    def __len__(self):
        return len(self.points)

    def __getitem__(self, index):
        points = self.transform(self.points[index].numpy())
        return torch.from_numpy(points), index % 2


def main():
    dataset = Clouds(8, build_transform())
    loader = data.DataLoader(dataset, batch_size=2, num_workers=2, worker_init_fn=seed_worker)
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    clouds = set()
    for epoch in range(3):
        for points, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(points).mean(1), labels).backward()
            optimizer.step()
            clouds.update(tuple(cloud[0].tolist()) for cloud in points)
    print(f"dlint-measure: {len(clouds)}")


if __name__ == "__main__":
    main()
