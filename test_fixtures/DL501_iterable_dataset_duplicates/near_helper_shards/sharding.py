"""How a stream is divided among workers."""

import itertools

import torch.utils.data


def split_by_worker(stream):
    info = torch.utils.data.get_worker_info()
    if info is None:
        return stream
    return itertools.islice(stream, info.id, None, info.num_workers)
