"""What the parts of a dataset's items cost: a look into memory, or reading and decoding; and which tell items
apart."""

from __future__ import annotations

import re

from dlint.regex import regex

# Calls that make no item out of a file or of numbers: they only hand on what is in memory.
_IN_MEMORY = frozenset(
    {"torch.tensor", "torch.from_numpy", "torch.as_tensor", "torch.LongTensor", "torch.FloatTensor"}
    | {"numpy.array", "numpy.asarray", "torch.is_tensor"}
)
# What labels are made with besides: from names of files, and from numbers.
_LABELS = frozenset(
    {"torch.Tensor", "torch.zeros", "torch.ones", "torch.full", "torch.eye", "torch.nn.functional.one_hot"}
    | {"torch.IntTensor", "torch.stack", "torch.cat", "torch.empty", "copy.copy", "copy.deepcopy"}
    | {"numpy.zeros", "numpy.ones", "numpy.eye", "numpy.full", "numpy.stack", "numpy.concatenate"}
    | {"numpy.append", "numpy.hstack", "numpy.vstack"}
    | {f"numpy.{kind}{bits}" for kind in ("int", "float") for bits in (8, 16, 32, 64)}
)
_NAMES_OF_FILES = ("os.path.", "pathlib.", "re.", "math.", "operator.", "itertools.", "collections.")
# What pycocotools looks up among the annotations that it has read; masks it decodes.
_OF_COCO = "pycocotools.coco.COCO"
_IN_COCO = frozenset({"getAnnIds", "getCatIds", "getImgIds", "loadAnns", "loadCats", "loadImgs"})
_OPENS = frozenset({"builtins.open", "pathlib.Path().open", "pathlib.Path().read_text"})

# Calls that read the header of a file and leave the rest for later: what they give knows its size.
READS_HEADER = frozenset(
    {"PIL.Image.open", "numpy.memmap", "nibabel.load", "rasterio.open", "h5py.File", "zarr.open"}
)
# What decodes all of a file whose header says how large that is: images, sounds, arrays.
_DECODES = frozenset(
    {"cv2.imread", "imageio.imread", "imageio.v2.imread", "imageio.v3.imread", "skimage.io.imread"}
    | {
        "torchvision.io.read_image",
        "torchvision.io.decode_image",
        "tifffile.imread",
        "matplotlib.image.imread",
    }
    | {"torchaudio.load", "soundfile.read", "librosa.load", "librosa.core.load", "scipy.io.wavfile.read"}
    | {"numpy.load"}
)
# What gives None where there is nothing to read, or nothing was found.
MAY_GIVE_NONE = frozenset(
    {"cv2.imread", "cv2.imdecode", "re.match", "re.search", "re.fullmatch", "os.environ.get", "os.getenv"}
)
_LEAVES_UNREAD = frozenset({"close", "getbands", "getexif", "seek", "verify"})
# What opens a file of arrays, each of which is read by itself.
FILE_OF_ARRAYS = "h5py.File"

# torchvision's datasets whose second part is read with every item.
_PAIRS = regex(
    r"\.(?:VOCSegmentation|SBDataset|Cityscapes|OxfordIIITPet|PhotoTour|LFWPairs|Kitti\w*|\w+Stereo\w*|"
    r"InStereo2k|Sintel|Flying\w+|HD1K|UCF101|HMDB51|Kinetics\w*|MovingMNIST)$"
)
_DATA = regex(
    r"(?:^|_)(?:mask|seg|segmentation|im|img|image|pic|wav|wave|waveform|audio|mel|spec|spectrogram|depth|flow|"
    r"disp|disparity|video|clip|frame|heatmap|density|pixel_value|hr|lr)s?\d*(?:_|$)"
)
# A number of an item, not of its class: ``image_id``, ``indices``, ``gt_img_ids``.
_APART = regex(
    r"(?:\w*_)?(?:image|img|sample|item|video|clip|frame|file|utt|utterance|example|data|query|row)s?_?"
    r"(?:ids?|idx|idxs|index|indices)|(?:uu?|g?u)?ids?|idx|idxs|indexes|indices|index",
    re.IGNORECASE,
)


def is_in_memory(name: str) -> bool:
    """Whether what a library's call gives is in memory already, be it found there or made a tensor."""
    made, _, method = name.partition("().")
    return name in _IN_MEMORY or (made == _OF_COCO and method in _IN_COCO)


def is_looked_up(name: str) -> bool:
    """Whether what a library's call gives is as cheap as its arguments."""
    made = name.partition("()")[0]
    if name in _OPENS:
        return False
    return (
        is_in_memory(name) or made in _IN_MEMORY | _LABELS or made.startswith(("builtins.", *_NAMES_OF_FILES))
    )


def decodes(name: str) -> bool:
    """Whether a library's call decodes a file whose header says how large that is, or what such a file has
    that was opened."""
    made, _, method = name.partition("().")
    return name in _DECODES or (made == "PIL.Image.open" and bool(method) and method not in _LEAVES_UNREAD)


def has_files(dataset: str) -> bool:
    """Whether a library's dataset decodes an image or a sound for each item."""
    return dataset.startswith(("torchvision.datasets.", "torchaudio.datasets."))


def has_label(dataset: str, index: int) -> bool:
    """Whether a part of the items of a library's dataset is a label, which it keeps in memory."""
    return index > 0 and _PAIRS.search(dataset) is None


def sounds_like_data(name: str) -> bool:
    """Whether a variable is called after what is read and decoded, and not after a label."""
    return _DATA.search(name.lower()) is not None


def tells_items_apart(name: str) -> bool:
    """Whether a part of an item is called as what only that item has."""
    return _APART.fullmatch(name) is not None
