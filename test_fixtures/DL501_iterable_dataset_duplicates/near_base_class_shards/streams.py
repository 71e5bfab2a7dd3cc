"""What all streams share."""

from torch.utils.data import IterableDataset, get_worker_info


class Stream(IterableDataset):
    """Shows the items of ``numbers()`` through ``prepare``; subclasses say what both are."""

    def __iter__(self):
        for number in self.share():
            yield self.prepare(number)

    def share(self):
        info = get_worker_info()
        numbers = list(self.numbers())
        return numbers if info is None else numbers[info.id :: info.num_workers]

    def numbers(self):
        raise NotImplementedError

    def prepare(self, number):
        raise NotImplementedError
