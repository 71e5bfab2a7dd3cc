import torch
from torch.utils.data import Dataset

from noise import drop_words


class Texts(Dataset):
    def __init__(self, length):
        self.texts = torch.arange(length * 6).reshape(length, 6) % 16

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        words, rate = drop_words(self.texts[index])
        return words, index % 2, rate
