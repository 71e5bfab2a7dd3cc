"""Open handles: what happens when forked workers share one, and that none can be pickled (as measured)."""

from __future__ import annotations

from typing import NamedTuple


class Handle(NamedTuple):
    """A kind of handle; ``forked`` is what forked workers that share it were seen to do, "" for nothing;
    ``has_parts`` says that what it gives under a name still reads from it; ``suffix``: only the call for a
    file of this kind makes one."""

    name: str
    forked: str = ""
    has_parts: bool = False
    suffix: str = ""


_FILE = Handle("a file", "workers share its position: 3 to 45 silently wrong reads of 4000")
_TAR = Handle("a tar archive", "workers share its position: 8 to 57 silently wrong reads of 4000")
_ZIP = Handle("a zip archive", "workers share its position: up to 86 BadZipFile errors in 4000 reads")
# The errors are those of the decompressor; where the whole file fits in a buffer, the reads come back wrong.
_COMPRESSED = Handle("a compressed file", "workers share its position: 750 to 1000 bad reads of 1000")
_LMDB = Handle(
    "an LMDB environment", "workers share its table of readers: 3748 ReadersFullErrors in 4000 reads"
)

HANDLES = {
    "builtins.open": _FILE,
    "io.open": _FILE,
    "pathlib.Path().open": _FILE,
    "tarfile.open": _TAR,
    "tarfile.TarFile": _TAR,
    "tarfile.TarFile.open": _TAR,
    "zipfile.ZipFile": _ZIP,
    "gzip.open": _COMPRESSED,
    "gzip.GzipFile": _COMPRESSED,
    "bz2.open": _COMPRESSED,
    "bz2.BZ2File": _COMPRESSED,
    "lzma.open": _COMPRESSED,
    "lzma.LZMAFile": _COMPRESSED,
    "wave.open": Handle("a wave file", "workers share its position: up to 7 silently wrong reads of 1000"),
    "numpy.load": Handle(
        "an .npz archive", "workers share its position: 38 to 77 failed reads of 1000", suffix=".npz"
    ),
    "mmap.mmap": Handle("a memory map"),
    "lmdb.open": _LMDB,
    "lmdb.Environment": _LMDB,
    "h5py.File": Handle("an HDF5 file", has_parts=True),
    "sqlite3.connect": Handle("an SQLite connection"),
    "cv2.VideoCapture": Handle("a video capture"),
}
LMDB_WITHOUT_LOCK = Handle("an LMDB environment")
# How a file is opened to be written: another matter than reading.
WRITES = frozenset("wax")
