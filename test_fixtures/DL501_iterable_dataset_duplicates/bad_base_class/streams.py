"""What all streams share."""

from torch.utils.data import IterableDataset


class Stream(IterableDataset):
    """Shows the items of ``numbers()`` through ``prepare``; subclasses say what both are."""

    def __iter__(self):  # expect: DL501
        for number in self.numbers():
            yield self.prepare(number)

    def numbers(self):
        raise NotImplementedError

    def prepare(self, number):
        raise NotImplementedError
