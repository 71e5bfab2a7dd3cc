"""Keeps the file names of a large collection in a list of strings."""

from torch.utils.data import DataLoader, Dataset

COUNT = 400_000


class Files(Dataset):
    def __init__(self):
        self.paths = [  # expect: DL504
            f"train/class{number % 1000:04}/image{number:09}.jpg" for number in range(COUNT)
        ]

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path = self.paths[index]
        return len(path)


def private_megabytes():
    """Memory that this process shares with no other, in MB."""
    with open("/proc/self/smaps_rollup") as smaps:
        return sum(int(line.split()[1]) for line in smaps if line.startswith("Private_Dirty")) / 1024


def sum_and_memory(batch):
    return sum(batch), private_megabytes()


def main():
    loader = DataLoader(Files(), batch_size=4000, num_workers=1, collate_fn=sum_and_memory)
    memory = [megabytes for _, megabytes in loader]
    growth = max(memory) - memory[0]
    print("a worker grew by", round(growth), "MB in one epoch")
    print("dlint-measure:", round(growth, 1))


if __name__ == "__main__":
    main()
