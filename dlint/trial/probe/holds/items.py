"""What an item is: a fingerprint to compare it by, and what of it cannot cross to the main process."""

from __future__ import annotations

import contextlib
import pickle
import zlib
from collections.abc import Iterator
from multiprocessing.reduction import ForkingPickler
from typing import Any

_DEEPEST = 12


def fingerprint(item: object) -> tuple[int, bool]:
    """A number that equal items share, and whether all of the item went into it."""
    mark, whole = 0, True
    for piece in _pieces(item, 0):
        if piece is None:
            whole = False
        else:
            mark = zlib.crc32(piece, mark)
    return mark, whole


def _pieces(item: object, depth: int) -> Iterator[bytes | None]:
    """The item as bytes, None for what has no bytes to compare."""
    if depth > _DEEPEST:
        yield None
    elif item is None or isinstance(item, (bool, int, float, complex, str)):
        yield repr(item).encode("utf-8", "replace")
    elif isinstance(item, (bytes, bytearray)):
        yield bytes(item)
    elif isinstance(item, dict):
        for key, value in item.items():
            yield repr(key).encode("utf-8", "replace")
            yield from _pieces(value, depth + 1)
    elif isinstance(item, (list, tuple)):
        yield type(item).__name__.encode() + str(len(item)).encode()
        for each in item:
            yield from _pieces(each, depth + 1)
    else:
        yield from _of_object(item, depth)


def _of_object(item: Any, depth: int) -> Iterator[bytes | None]:
    name = type(item).__name__
    with contextlib.suppress(Exception):  # a class of a library may refuse in its own way
        if hasattr(item, "detach") and hasattr(item, "untyped_storage"):
            array = item.detach().cpu().contiguous()
            yield str((array.dtype, tuple(array.shape))).encode()
            yield _bytes_of_tensor(array)
            return
        if hasattr(item, "dtype") and hasattr(item, "tobytes"):
            yield str((item.dtype, getattr(item, "shape", ()))).encode()
            yield None if item.dtype.hasobject else item.tobytes()
            return
        if hasattr(item, "mode") and hasattr(item, "tobytes"):  # a PIL image
            yield str((item.mode, item.size)).encode()
            yield item.tobytes()
            return
    own = getattr(item, "__dict__", None)
    if isinstance(own, dict) and own:
        yield name.encode()
        yield from _pieces(own, depth + 1)
        return
    yield None


def _bytes_of_tensor(array: Any) -> bytes:
    import torch

    if array.is_sparse or array.is_quantized:
        raise TypeError
    return bytes(array.reshape(-1).view(torch.uint8).numpy().tobytes())


def unsendable(item: object, path: str, depth: int = 0) -> tuple[str, str, str] | None:
    """The first part of an item that pickle refuses: its path, its class, and what pickle says."""
    if depth > _DEEPEST or item is None or isinstance(item, (bool, int, float, complex, str, bytes)):
        return None
    if isinstance(item, dict):
        parts = [(f"{path}[{key!r}]", value) for key, value in item.items()]
    elif isinstance(item, (list, tuple)):
        parts = [(f"{path}[{at}]", value) for at, value in enumerate(item)]
    else:
        if hasattr(item, "untyped_storage") or hasattr(item, "dtype"):
            return None
        try:
            pickle.dumps(item)
        except Exception:
            try:
                ForkingPickler.dumps(item)  # what workers use: it takes a little more, and is slower
            except Exception as error:
                name = f"{type(item).__module__}.{type(item).__qualname__}"
                return path, name, f"{type(error).__name__}: {error}"
        return None
    return next((found for name, part in parts if (found := unsendable(part, name, depth + 1))), None)
