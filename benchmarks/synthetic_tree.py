"""A tree of files of its own making, for measuring memory: python benchmarks/synthetic_tree.py FOLDER [FILES]

Per hundred files, as in the repositories that were looked at: some sixty models and utilities, twenty
configurations and tests, and twenty that mention data loading (datasets, transforms, readers that call
cv2, scripts with loaders). A file has 190 lines on average, one in fifty is ten times as long.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

_GROUP = 100


def write_tree(folder: Path, count: int) -> int:
    """Write ``count`` files below ``folder``, a package for every hundred; the number of lines written."""
    lines = 0
    for number in range(count):
        group, member = divmod(number, _GROUP)
        package = folder / "project" / f"part_{group:03d}"
        if member == 0:
            package.mkdir(parents=True, exist_ok=True)
            (package.parent / "__init__.py").touch()
            (package / "__init__.py").touch()
        name, write = _kind(member)
        text = write(group, member, 10 if member % 50 == 49 else 1)
        (package / f"{name}.py").write_text(text, encoding="utf-8")
        lines += text.count("\n")
    return lines


def _kind(member: int) -> tuple[str, Callable[[int, int, int], str]]:
    if member < 5:
        return f"reader_{member}", _reader
    if member < 9:
        return f"transforms_{member}", _transforms
    if member < 16:
        return f"dataset_{member}", _dataset
    if member < 20:
        return f"train_{member}", _script
    if member < 60:
        return f"model_{member}", _model
    if member < 80:
        return f"utility_{member}", _utility
    return f"config_{member}", _config


def _reader(group: int, member: int, size: int) -> str:
    body = "".join(
        f"""
def resize_{i}(image, width, height={64 + i}):
    \"\"\"The image at another size, no larger than it was.\"\"\"
    rows, columns = image.shape[:2]
    scale = min(width / columns, height / rows, 1.0)
    if scale == 1.0:
        return image
    return cv2.resize(image, (int(columns * scale), int(rows * scale)))

"""
        for i in range(18 * size)
    )
    return f"""import cv2
import numpy as np


def read_image(path):
    image = cv2.imread(str(path))
    if image is None:
        raise FileNotFoundError(path)
    return resize_{member}(cv2.cvtColor(image, cv2.COLOR_BGR2RGB), 512)


def as_float(image):
    return np.asarray(image, dtype=np.float32) / 255.0

{body}"""


def _transforms(group: int, member: int, size: int) -> str:
    body = "".join(
        f"""
class Augment{i}:
    def __init__(self, probability=0.5, strength={i}):
        self.probability = probability
        self.strength = strength

    def __call__(self, image, boxes=None):
        if random.random() >= self.probability:
            return image, boxes
        shift = np.random.uniform(-self.strength, self.strength, size=2)
        image = np.roll(image, shift.astype(int), axis=(0, 1))
        if boxes is not None:
            boxes = boxes + np.tile(shift, 2)
        return image, boxes

"""
        for i in range(13 * size)
    )
    names = ", ".join(f"Augment{i}()" for i in range(5))
    return f"""import random

import numpy as np
from torchvision import transforms

{body}
def training_transforms():
    return transforms.Compose([{names}, transforms.ToTensor()])
"""


def _dataset(group: int, member: int, size: int) -> str:
    reader = member % 5
    transform = 5 + member % 4
    body = "".join(
        f"""
    def statistics_{i}(self, channel={i}):
        total, count = 0.0, 0
        for index, path in enumerate(self.paths):
            if index % 10 == {i % 10}:
                continue
            values = np.load(path)[..., channel]
            total += float(values.sum())
            count += values.size
        return total / max(count, 1)
"""
        for i in range(14 * size)
    )
    return f"""import json
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

from project.part_{group:03d}.reader_{reader} import as_float, read_image
from .transforms_{transform} import training_transforms


class Dataset{member}(Dataset):
    \"\"\"Images and boxes of a folder.\"\"\"

    def __init__(self, root, train=True, transform=None):
        self.root = Path(root)
        self.paths = sorted(self.root.glob("*.jpg"))
        self.labels = json.loads((self.root / "labels.json").read_text())
        self.train = train
        self.transform = transform or (training_transforms() if train else None)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path = self.paths[index]
        image = as_float(read_image(path))
        boxes = np.asarray(self.labels[path.name], dtype=np.float32)
        if self.transform is not None:
            image, boxes = self.transform(image, boxes)
        return torch.from_numpy(image).permute(2, 0, 1), torch.from_numpy(boxes)
{body}"""


def _script(group: int, member: int, size: int) -> str:
    dataset = 9 + member % 7
    model = 20 + member
    body = "".join(
        f"""
def evaluate_{i}(model, loader, device, threshold=0.{i + 1}):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for images, targets in loader:
            scores = model(images.to(device)).softmax(dim=1)
            best, classes = scores.max(dim=1)
            sure = best > threshold
            right += (classes[sure] == targets.to(device)[sure]).sum().item()
            total += sure.sum().item()
    return right / max(total, 1)

"""
        for i in range(9 * size)
    )
    return f"""import argparse

import torch
from torch.utils.data import DataLoader, DistributedSampler

from project.part_{group:03d}.dataset_{dataset} import Dataset{dataset}
from project.part_{group:03d}.model_{model} import Network{model}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default="data")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--distributed", action="store_true")
    return parser.parse_args()


def loaders(args):
    train = Dataset{dataset}(args.root, train=True)
    held_out = Dataset{dataset}(args.root, train=False)
    sampler = DistributedSampler(train) if args.distributed else None
    return (
        DataLoader(
            train,
            batch_size=args.batch_size,
            shuffle=sampler is None,
            sampler=sampler,
            num_workers=args.workers,
        ),
        DataLoader(held_out, batch_size=args.batch_size, num_workers=args.workers),
    )

{body}
def main():
    args = arguments()
    train, held_out = loaders(args)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Network{model}().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        model.train()
        for images, targets in train:
            loss = torch.nn.functional.cross_entropy(model(images.to(device)), targets.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, evaluate_0(model, held_out, device))


if __name__ == "__main__":
    main()
"""


def _model(group: int, member: int, size: int) -> str:
    body = "".join(
        f"""
class Block{i}(nn.Module):
    def __init__(self, channels, groups={i + 1}, dropout=0.0):
        super().__init__()
        self.first = nn.Conv2d(channels, channels * 2, 3, padding=1, groups=groups)
        self.norm = nn.BatchNorm2d(channels * 2)
        self.second = nn.Conv2d(channels * 2, channels, 1)
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()

    def forward(self, x):
        kept = x
        x = torch.relu(self.norm(self.first(x)))
        x = self.dropout(self.second(x))
        return kept + x

"""
        for i in range(11 * size)
    )
    return f"""import torch
from torch import nn

{body}
class Network{member}(nn.Module):
    def __init__(self, channels=32, classes=10):
        super().__init__()
        self.blocks = nn.Sequential(Block0(channels), Block1(channels))
        self.head = nn.Linear(channels, classes)

    def forward(self, x):
        return self.head(self.blocks(x).mean(dim=(2, 3)))
"""


def _utility(group: int, member: int, size: int) -> str:
    body = "".join(
        f"""
def summarise_{i}(rows, key="{i}", digits={i % 5}):
    counts = {{}}
    for row in rows:
        name = row.get(key) or "none"
        counts[name] = counts.get(name, 0) + 1
    widest = max((len(name) for name in counts), default=0)
    lines = []
    for name, count in sorted(counts.items()):
        lines.append(f"{{name:<{{widest}}}} {{count:.{{digits}}f}}")
    return "\\n".join(lines)

"""
        for i in range(15 * size)
    )
    return f"import json\nimport os\n\n{body}"


def _config(group: int, member: int, size: int) -> str:
    body = "".join(
        f'    "option_{i}": {{"value": {i}, "help": "what option {i} does"}},\n' for i in range(180 * size)
    )
    return f"NAME = 'config {group} {member}'\n\nOPTIONS = {{\n{body}}}\n"


if __name__ == "__main__":
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    print(f"{wanted} files, {write_tree(Path(sys.argv[1]), wanted)} lines")
