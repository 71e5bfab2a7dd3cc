"""What all streams share."""

from torch.utils.data import IterableDataset, get_worker_info


class Stream(IterableDataset):
    """Shows the items of ``numbers()`` through ``prepare``; subclasses say what both are."""

    def __iter__(self):
        info = get_worker_info()
        for position, number in enumerate(self.numbers()):
            if info is None or position % info.num_workers == info.id:
                yield self.prepare(number)

    def numbers(self):
        raise NotImplementedError

    def prepare(self, number):
        raise NotImplementedError
