from torch.utils.data import BatchSampler


def aspect_batches(sampler, size):
    return BatchSampler(sampler, size, drop_last=False)
