import torch

from geometry import crop_window, mirrored


class Compose(object):
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image, area):
        for t in self.transforms:
            image, area = t(image, area)
        return image, area


class RandomCrop(object):
    def __init__(self, size):
        self.size = size

    def __call__(self, image, area):
        top, left = crop_window(image.shape, self.size)
        return image[top : top + self.size, left : left + self.size], area


class RandomMirror(object):
    def __call__(self, image, area):
        return (image[:, ::-1] if mirrored() else image), area


class ToTensor(object):
    def __call__(self, image, area):
        return torch.from_numpy(image.copy()), area
