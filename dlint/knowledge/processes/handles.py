"""Open handles: what happens when forked workers share one, and that none can be pickled (as measured)."""

from __future__ import annotations

from typing import NamedTuple

from dlint.finding import Effect
from dlint.regex import regex


class Handle(NamedTuple):
    """A kind of handle; ``forked`` is what forked workers that share it were seen to do, "" for nothing, and
    ``effect`` the kind of that; ``parts`` are the methods and attributes that give what still reads from it
    (``[]``: what it gives under a name; ``EACH``: what a loop over a part gives); ``suffix``: only the call
    for a file of this kind makes one, or for one of the same kind that is open, first or as ``store``;
    ``cure`` is what to do where a handle for each process is not enough.
    ``once``: what lets a process open no second one of the same, be the first inherited, until that is
    closed. ``besides`` tells of some that forked workers cannot share either, where nothing tells these from
    the others; a ``device`` has a number, and is not known.
    ``contents``: the parameter that takes what it reads, where that is in memory. Pickle sends one that is
    ``sent``, and where it arrives it is opened anew. Of a ``number`` pickle sends no more than that; forked
    workers share the position from which it is read, which not all ways of reading ask for."""

    name: str
    forked: str = ""
    parts: tuple[str, ...] = ()
    suffix: str = ""
    cure: str = ""
    once: str = ""
    effect: Effect = "silent"
    besides: str = ""
    device: bool = False
    contents: str = ""
    sent: bool = False
    number: bool = False

    @property
    def advice(self) -> str:
        """What to do in a few words."""
        first = f", and close the inherited one first ({self.once} twice in a process)"
        more = first if self.once else self.besides and f": {self.besides}"
        return self.cure or f"open it in each process, keyed on os.getpid(){more}"


# What a loop gives of a part, and the methods among what gives one.
EACH = "each"
METHODS = frozenset({"aszarr", "begin", "best", "cursor", "decode", "demux", "get", "GetRasterBand"})
# 3 to 45 silently wrong reads of 4,000, 4 workers; what is wrong in others is counted the same way.
_FILE = Handle("a file", "read wrong data")
_TAR = Handle("a tar archive", "read wrong data")  # 8 to 57
_ZIP = Handle("a zip archive", "fail with BadZipFile", effect="error")  # up to 86
# The errors are those of the decompressor; where the whole file fits in a buffer, the reads come back wrong.
# 750 to 1,000 of 1,000.
_COMPRESSED = Handle("a compressed file", "read wrong data, or fail")
# From lmdb 2.0 on the second is refused: "The environment ... is already open in this process".
_LMDB = Handle(
    "an LMDB environment",
    "fail with ReadersFullError",  # 3,748
    effect="error",
    parts=("begin", "cursor"),
    once="lmdb 2.0 and later open none",
)
# pysam 0.24: 10 to 37 silently wrong reads of 4,000.
_FASTA = Handle("a FASTA file", "read wrong data")
# 1,940 to 1,998 failed reads of 2,000 and 1 to 37 wrong ones, of VCF 955 to 1,939 and 14 to 142, of Tabix 978
# to 1,850 and 33 to 55: one process reads on where another has just been, in the midst of a block.
_BLOCKS = "fail to read, or read wrong data"
_ALIGNMENTS = Handle("an alignment file", _BLOCKS, effect="error")
_VARIANTS = Handle("a variant file", _BLOCKS, effect="error")
_TABIX = Handle("a Tabix file", _BLOCKS, effect="error")
# pyfaidx 0.9: 22 to 203 of 4,000; so it is with what it gives under a name.
_INDEXED = Handle("a FASTA file", "read wrong data", parts=("[]",))
# pymupdf 2.0: 78 to 493 wrong pages of 800, and 2 to 305 failed ones.
_PDF = Handle("a PDF file", "read wrong pages, or fail", contents="stream")
# openslide 4.0.1 opens the file for each read: 0 of 12,000 reads were bad.
_SLIDE = Handle("an OpenSlide slide")
# imageio 2.38: of a GIF of 40 frames 0 to 27 failed reads of 40, 0 to 2 silently wrong ones; of one of 200 up
# to 92 and 18; of an .mp4 by FFMPEG 1 and 3 of 190, by PyAV 132 to 156 failed ones. With one worker: none.
_IMAGEIO = Handle("an imageio reader", "read wrong frames, or fail")
# fsspec 2026.9: of a local file 1 to 468 of 4,000 reads were silently wrong, of one of S3 all failed
# (RuntimeError: This class is not fork-safe), of one read by HTTP all workers hung. In memory: 0.
_REMOTE = Handle(
    "a file of fsspec", "read wrong data of a local file, and fail or hang with a remote one", sent=True
)
_OF_SYSTEM = _REMOTE._replace(
    cure="make the file system and open the file in each process, keyed on os.getpid()"
)
# zarr 2.18: of 2,000 reads 0 to 44 failed, 3.1: 3 to 20. An array keeps the store of its group. Pickle sends
# both, and they are opened anew.
_ZIP_STORE = Handle(
    "a zip store of zarr",
    "fail to read",
    effect="error",
    cure="open the store and its arrays in each process, keyed on os.getpid()",
    sent=True,
)
_IN_ZIP_STORE = _ZIP_STORE._replace(suffix=".zip", parts=("[]",))
# torchcodec 0.11, with one thread: 1 to 9 of 200 frames failed, 0 to 2 were silently wrong; with
# num_ffmpeg_threads=0 all workers hung. Of 190 pieces of sound 106 to 146 failed, 0 to 10 were wrong. Pickle
# sends them, but where they arrive all reads fail, or hang.
_TORCHCODEC = Handle("a torchcodec decoder", "fail to read, or hang", effect="error")
_GDAL = Handle("a GDAL dataset", "read wrong data", parts=("GetRasterBand",))
_BY_THREAD = Handle(
    "a SqliteDict",
    "hang, without the parent's thread",
    effect="hang",
    cure="open it in each process, keyed on os.getpid()",
)

# pandas 3.1, 4 workers that keep one chunk in four: 141,000 to 179,000 of 200,000 rows lost, and in two of
# three runs a ParserError.
_CHUNKS = Handle(
    "a reader of pandas",
    "lose rows, or fail with ParserError",
    cure="make it in __iter__: each process needs one of its own",
)
# Calls that make a handle where they are given one of some keywords.
HANDLES_IF_GIVEN = {
    "pandas.read_csv": (_CHUNKS, ("chunksize", "iterator")),
    "pandas.read_table": (_CHUNKS, ("chunksize", "iterator")),
}

HANDLES = {
    "builtins.open": _FILE,
    "io.open": _FILE,
    "io.FileIO": _FILE,  # 0 to 79 of 40,000
    "codecs.open": _FILE,  # 0 to 560 of 40,000
    # Opened anew it has the position of the same descriptor.
    "os.fdopen": _FILE._replace(cure="call os.open() too in each process, keyed on os.getpid()"),
    "os.open": Handle(
        "a file descriptor",
        cure="open it in each process, keyed on os.getpid(), and leave it out of __getstate__",
        number=True,
    ),
    "pathlib.Path().open": _FILE,
    "tarfile.open": _TAR,
    "tarfile.TarFile": _TAR,
    "tarfile.TarFile.open": _TAR,
    "zipfile.ZipFile": _ZIP,
    "zipfile.Path": _ZIP._replace(sent=True),  # 62 of 2,000 reads failed; from Python 3.13 on pickle sends it
    "gzip.open": _COMPRESSED,
    "gzip.GzipFile": _COMPRESSED,
    "bz2.open": _COMPRESSED,
    "bz2.BZ2File": _COMPRESSED,
    "lzma.open": _COMPRESSED,
    "lzma.LZMAFile": _COMPRESSED,
    "wave.open": Handle("a wave file", "read wrong data"),
    "numpy.load": Handle(
        "an .npz archive",
        "fail to read",
        effect="error",
        suffix=".npz",  # 38 to 77 of 1,000
    ),
    "mmap.mmap": Handle("a memory map"),
    "lmdb.open": _LMDB,
    "lmdb.Environment": _LMDB,
    "h5py.File": Handle("an HDF5 file", parts=("[]", "get")),
    # Of NETCDF4 files 0 of 4,000 reads were bad, of NETCDF3_CLASSIC and NETCDF3_64BIT_OFFSET 3,000 to 4,000.
    "netCDF4.Dataset": Handle(
        "a netCDF file",
        parts=("[]", "variables"),
        besides="forked workers cannot share one of the NETCDF3 formats either",
    ),
    # PyTables 3: 0 of 4,000 reads were bad; of pandas' store 0 of 400.
    "tables.open_file": Handle("an HDF5 file of PyTables"),
    "pandas.HDFStore": Handle("an HDF5 store"),
    # 25 of 4,000.
    "pyBigWig.open": Handle("a BigWig file", "fail to read", effect="error"),
    # 40 silently wrong reads of 4,000.
    "segyio.open": Handle("a SEG-Y file", "read wrong data"),
    # 56 of 2,000.
    "laspy.open": Handle("a LAS file", "read wrong data"),
    # It asks a thread of its own for everything, which is not there after a fork: all workers hung.
    "sqlitedict.SqliteDict": _BY_THREAD,
    "sqlitedict.open": _BY_THREAD,
    "sqlite3.connect": Handle("an SQLite connection", parts=("cursor",)),
    # Its documents: connections "shouldn't be used by a forked process"; not measured.
    "psycopg2.connect": Handle(
        "a PostgreSQL connection",
        "fail, or read each other's rows",
        effect="error",
        parts=("cursor",),
        cure="connect in each process, keyed on os.getpid()",
    ),
    # With OpenCV 5.0: FFmpeg's threads stay in the parent. An .avi of MJPG of which the parent has read no
    # frame is read wrong instead: 35 to 64 failed and 159 to 187 silently wrong reads of 400.
    "cv2.VideoCapture": Handle(
        "a video capture",
        "hang, without the parent's threads, or read wrong frames",
        effect="hang",
        cure="open it in the worker only, and release the parent's before the workers start: "
        "a worker that lets go of that one hangs as well",
        device=True,
    ),
    # With decord 0.6, also with num_threads=1: the reader's threads stay in the parent.
    "decord.VideoReader": Handle(
        "a decord reader",
        "hang, without the parent's threads",
        effect="hang",
        # Measured too: its destructor waits for those threads.
        cure="open it in the worker only: one that lets go of the parent's reader hangs as well",
    ),
    # PyAV 18.1, an .mp4: 136 to 154 failed reads of 190, where the parent has read a frame as well (one of
    # four such runs hung); none with a container for each process. Its streams, their coders and the
    # generators of frames are no more sent by pickle than it is.
    "av.open": Handle(
        "a PyAV container",
        "fail to read",
        effect="error",
        parts=("streams", "audio", "video", "best", "codec_context", "decode", "demux", EACH),
    ),
    "torchcodec.decoders.AudioDecoder": _TORCHCODEC,
    "torchcodec.decoders.VideoDecoder": _TORCHCODEC,
    "zarr.ZipStore": _ZIP_STORE,
    "zarr.storage.ZipStore": _ZIP_STORE,
    "zarr.group": _IN_ZIP_STORE,
    "zarr.open": _IN_ZIP_STORE,
    "zarr.open_array": _IN_ZIP_STORE,
    "zarr.open_consolidated": _IN_ZIP_STORE,
    "zarr.open_group": _IN_ZIP_STORE,
    # What rasterio reads with. Its objects are SWIG's, which pickle refuses.
    "osgeo.gdal.Open": _GDAL,
    "osgeo.gdal.OpenEx": _GDAL,
    "gdal.Open": _GDAL,
    "rasterio.open": Handle(
        "a rasterio dataset",
        "read wrong data",  # 503 to 941
    ),
    "soundfile.SoundFile": Handle(
        "a sound file",
        "read wrong data",  # 19 to 31
    ),
    "tifffile.TiffFile": Handle(
        "a TIFF file", "read wrong data, or fail", parts=("pages", "series", "levels", "aszarr")
    ),
    "pysam.FastaFile": _FASTA,
    "pysam.Fastafile": _FASTA,
    "pysam.AlignmentFile": _ALIGNMENTS,
    "pysam.Samfile": _ALIGNMENTS,
    "pysam.VariantFile": _VARIANTS,
    "pysam.TabixFile": _TABIX,
    "pysam.Tabixfile": _TABIX,
    "pyfaidx.Fasta": _INDEXED,
    "pyfaidx.Faidx": _INDEXED._replace(parts=()),
    # 3 to 322 of 2,000 to 4,000. edflib has a table of the files that the process has open, and a forked
    # worker inherits that: "file has already been opened".
    "pyedflib.EdfReader": Handle("an EDF file", "read wrong data", once="edflib opens none"),
    "openslide.OpenSlide": _SLIDE,
    "openslide.open_slide": _SLIDE,
    "imageio.get_reader": _IMAGEIO,
    "imageio.read": _IMAGEIO,
    "imageio.v2.get_reader": _IMAGEIO,
    "imageio.v2.read": _IMAGEIO,
    "imageio.v3.imopen": _IMAGEIO,
    "fitz.open": _PDF,
    "fitz.Document": _PDF,
    "pymupdf.open": _PDF,
    "pymupdf.Document": _PDF,
    "pypdfium2.PdfDocument": Handle("a PDF file", "read wrong pages"),  # 1 to 4 of 800
    "smart_open.open": _FILE,  # of a local file 0 to 76 of 4,000
    "fsspec.open().open": _REMOTE,
    "fsspec.filesystem().open": _OF_SYSTEM,
    "s3fs.S3FileSystem().open": _OF_SYSTEM,
}
# What opens a file, reads its head, and the rest when that is first asked for. Pillow 13, 2 workers, made
# anew in each epoch, 60 images of 120 kB: epoch 0 is right, of each further one all 60 fail (OSError: image
# file is truncated). Of a TIFF file of 60 frames up to 32 reads fail, 10 are silently wrong. Pickle sends the
# pixels.
UNREAD = {
    "PIL.Image.open": Handle(
        "an unread Pillow image",
        "fail to read",
        effect="error",
        cure="keep its path and open it where it is read, or read it at once (image.load())",
        sent=True,
    )
}
# What asks such an image for nothing but what is in its head, or puts one more into a list of them.
LEAVES_UNREAD = frozenset(
    {"append", "filename", "format", "height", "info", "is_animated", "mode", "n_frames", "size", "width"}
)
# Where paths come from: the beginnings of names.
PATHS = frozenset(
    {"argparse", "builtins", "csv", "glob", "json", "natsort", "os", "pandas", "pathlib", "sys"}
)
# What is read by name or by number, wherever the last read ended.
WITHOUT_POSITION = frozenset(
    {
        "zipfile.ZipFile",
        "zipfile.Path",
        "tables.open_file",
        "pandas.HDFStore",
        "pyBigWig.open",
        "tarfile.open",
        "tarfile.TarFile",
        "tarfile.TarFile.open",
        "numpy.load",
        "lmdb.open",
        "lmdb.Environment",
        "h5py.File",
        "netCDF4.Dataset",
        "openslide.OpenSlide",
        "openslide.open_slide",
        "pyedflib.EdfReader",
        "pyfaidx.Fasta",
        "sqlite3.connect",
        "rasterio.open",
        "osgeo.gdal.Open",
        "osgeo.gdal.OpenEx",
        "gdal.Open",
        "tifffile.TiffFile",
        "torchcodec.decoders.AudioDecoder",
        "torchcodec.decoders.VideoDecoder",
    }
)
# What gives what it reads under a name, by no call.
READ_BY_NAME = frozenset(
    {"numpy.load", "sqlitedict.SqliteDict", "sqlitedict.open"}
    | {name for name, handle in HANDLES.items() if handle.forked and "[]" in handle.parts}
)
# What an archive of arrays has, and no array; and with what else the call gives, or does, other things.
ASKED_OF_NPZ = frozenset({"f", "files", "get", "items", "keys", "values", "zip"})
NOT_OF_NPZ = frozenset({"allow_pickle", "encoding", "fix_imports", "mmap_mode"})
PARTS = frozenset(part for handle in HANDLES.values() for part in handle.parts)
LMDB_WITHOUT_LOCK = _LMDB._replace(forked="")
# Flags with which ``os.open`` does more than to read.
WRITING_FLAGS = regex(r"\bO_(?:APPEND|CREAT|EXCL|RDWR|TMPFILE|TRUNC|WRONLY|PATH|DIRECTORY)\b")
# What takes a descriptor and reads from where others have left it.
READS_ON = r"\bos\.(?:fdopen|lseek|read|readv|sendfile)\("
# What reads on a file that it is given: one worker gives nothing from the second epoch on, two torn rows.
READ_THROUGH = frozenset({"csv.reader", "csv.DictReader", "io.BufferedReader", "io.TextIOWrapper"})
# Calls whose second argument says what kind of file it is, or which part of it, and not whether it is read.
TAKES_FORMAT = (
    *(".get_reader", "imageio.read", "imageio.v2.read"),
    *("sqlitedict.SqliteDict", "sqlitedict.open", "zipfile.Path"),
)
# Calls that give the number of an open file, by which only the process that opened it finds that.
_DESCRIPTORS = regex(r"os\.(?:open|dup|dup2|memfd_create|openpty|pipe2?)(?:\(\)\.\[\])?|.*\.fileno")
# The number by which a map is of no file, but of memory that nothing is in yet.
NO_FILE = -1
# How a file is opened to be written: another matter than reading.
WRITES = frozenset("wax")
# What fsspec calls files that are in memory.
IN_MEMORY = "memory"


def is_descriptor(name: str) -> bool:
    """Whether a library's call by this name gives a number that means an open file of its process."""
    return _DESCRIPTORS.fullmatch(name) is not None


def refused_handle(name: str) -> Handle | None:
    """The handle that a library's call surely gives, where pickle refuses it."""
    handle = HANDLES.get(name)
    if handle is None or handle.sent or handle.number or handle.suffix or handle.contents:
        return None
    return handle
