"""Open handles: what happens when forked workers share one, and that none can be pickled (as measured)."""

from __future__ import annotations

from typing import NamedTuple


class Handle(NamedTuple):
    """A kind of handle; ``forked`` is what forked workers that share it were seen to do, "" for nothing;
    ``parts`` are the methods whose result still reads from it (``[]``: what it gives under a name);
    ``suffix``: only the call for a file of this kind makes one; ``unsent`` is the error of workers that are
    not forked; ``cure`` is what to do where a handle for each process is not enough. ``once``: a process may
    not open a second one of the same, be the first inherited, until that is closed."""

    name: str
    forked: str = ""
    parts: tuple[str, ...] = ()
    suffix: str = ""
    unsent: str = "TypeError: cannot pickle"
    cure: str = ""
    once: bool = False

    @property
    def advice(self) -> str:
        """What to do in a few words."""
        first = ", and close the inherited one first (lmdb 2.0 and later open none twice in a process)"
        return self.cure or "open it in each process, keyed on os.getpid()" + (first if self.once else "")


_FILE = Handle("a file", "workers share its position: 3 to 45 silently wrong reads of 4000")
_TAR = Handle("a tar archive", "workers share its position: 8 to 57 silently wrong reads of 4000")
_ZIP = Handle("a zip archive", "workers share its position: up to 86 BadZipFile errors in 4000 reads")
# The errors are those of the decompressor; where the whole file fits in a buffer, the reads come back wrong.
_COMPRESSED = Handle("a compressed file", "workers share its position: 750 to 1000 bad reads of 1000")
# From lmdb 2.0 on the second is refused: "The environment ... is already open in this process".
_LMDB = Handle(
    "an LMDB environment",
    "workers share its table of readers: 3748 ReadersFullErrors in 4000 reads",
    parts=("begin", "cursor"),
    once=True,
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
    "h5py.File": Handle("an HDF5 file", parts=("[]", "get")),
    "sqlite3.connect": Handle("an SQLite connection", parts=("cursor",)),
    "cv2.VideoCapture": Handle("a video capture"),
    # With decord 0.6, also with num_threads=1: the reader's threads stay in the parent.
    "decord.VideoReader": Handle(
        "a decord reader",
        "workers wait for the threads of the parent's reader: where it had read nothing, 5 of 5 runs hung",
        unsent="ValueError: ctypes objects containing pointers cannot be pickled",
        # Measured too: its destructor waits for those threads.
        cure="open it in the worker only: one that lets go of the parent's reader hangs as well",
    ),
    "av.open": Handle("a PyAV container", unsent="TypeError: no default __reduce__"),
    "rasterio.open": Handle(
        "a rasterio dataset",
        "workers share its position: 503 to 941 silently wrong reads of 4000",
        unsent="TypeError: self._hds cannot be converted to a Python object for pickling",
    ),
    "soundfile.SoundFile": Handle(
        "a sound file", "workers share its position: 19 to 31 silently wrong reads of 4000"
    ),
    "tifffile.TiffFile": Handle("a TIFF file", "workers share its position: 212 to 287 bad reads of 1000"),
}
PARTS = frozenset(part for handle in HANDLES.values() for part in handle.parts)
LMDB_WITHOUT_LOCK = _LMDB._replace(forked="")
# How a file is opened to be written: another matter than reading.
WRITES = frozenset("wax")
