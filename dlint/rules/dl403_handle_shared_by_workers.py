"""A handle opened before the workers start is read in worker code.

## What it finds

An open file, archive, database or video that the dataset or the `collate_fn` (or an object it holds, or a
module) opens when it is made, in its constructor or in a method that the constructor calls, and that worker
code reads: itself, or a part kept of it (HDF5: `self.images = file["images"]`, `file.get("images")`; netCDF:
`file.variables["t"]`; zarr: `zarr.group(store)["images"]` of a zip store; a cursor of SQLite, a transaction
of LMDB, a stream of PyAV, a page, series or level of a TIFF file), or one of a list or dict of them
(`{k: file[k] for k in keys}`). Where no path says that `np.load` opens an `.npz`, what is asked of it does:
`self.data.files`, or only names (`self.data["x"]`), as those of a `.npy` with fields may be as well; so does
what is asked of its name (`if name.endswith(".npz")`), or a search for such files.

Also one that a function brings which workers get: bound by a partial (`partial(read, open(path))`, be it
the `collate_fn`), left by the function around it, or whose method it is (`self.read = archive.read`); and one
that a kept reader reads on (`csv.reader(file)`).

Also one that others put on an object once it is made (`dataset.file = open(path)`), or have it open
(`dataset.open()`, `with Rows(path) as dataset:`, `dataset.add("train", path)` into a list or dict of it),
before the loader is made, where nothing closes it by then.

Also one that a function of the parent puts among options, or on what else only carries things (`opt["env"] =
lmdb.open(path)`), and that worker code finds there.

Also an image, or a list of images, that the constructor opens with Pillow by its path and does not read
(`self.images = [Image.open(path) for path in paths]`): until something asks for pixels it is an open file.
One of which the constructor does more than to ask for the size, mode or number of frames may have been read,
and so may all of them where the program reads an item before; these are left alone.

Also one that is opened when it is first needed (`if self.file is None:`, `if not hasattr(self, "file"):`, a
`cached_property`), by a method that workers run or by another that leaves it there, where the main process
needs it while workers are still to start, which then inherit it all the same: the constructor lists its
contents, or has the object that holds it do so; `__len__` does, and the program or a shuffling loader asks
for the length; or the program reads an item, or surely runs any method, property or function that needs it
(`dataset.statistics()`), where the loader is made, in a method that is called before (Lightning's `setup`),
or in the constructor of the object that keeps the dataset. So it is with one that a global or an attribute of
a class keeps (`if Rows.file is None:`), a dict of the module, the class or the object under its path or
number (`if path not in BANK:`), a `threading.local()`, or a cached function, where the main process needs the
one that workers need; and no object in whose dict the constructor leaves any can be sent to workers that are
not forked.

Fine are handles opened in the worker: for each item, in `worker_init_fn` (also where that only sets what is
opened when first needed to None again, as what `os.register_at_fork(after_in_child=...)` is given may), keyed
on `os.getpid()`, or at the first item where the parent reads none, or lets go what it has read with
(`dataset.close()`) before workers start, or reads one only in runs without workers (`if args.debug:` reads it
and sets their number to 0); so are those that the constructor closes again, or `dataset.close()` where
workers open their own. `np.memmap` is fine, so is a file opened for writing; forked workers may also share an
archive in an `io.BytesIO`, and a file or descriptor that they only read by `os.pread`.

## Why is this bad

As measured, with 4 forked workers and 4000 reads:

- `open`: 3 to 45 **silently wrong** reads; `tarfile`: 8 to 57; `ZipFile`: up to 86 `BadZipFile`; `lmdb` with
  its default lock: 3748 `ReadersFullError`. Forked processes share a handle's position. Of 40,000 reads:
  `codecs.open` 0 to 560, `io.FileIO` 0 to 79, `open` 0 to 16, `os.fdopen` 0 or 1 **silently wrong** ones.
- `gzip`, `bz2`, `lzma`: 750 to 1000 bad reads of 1000; an `.npz` kept open (`np.load`): 38 to 77 failed ones;
  `wave`: up to 7 **silently wrong** ones.
- `rasterio.open`: 503 to 941 **silently wrong** reads of 4000, of a compressed file 186 to 213 bad ones;
  `soundfile.SoundFile`: 19 to 31 **silently wrong** ones of 4000; `tifffile.TiffFile`: 212 to 287 bad ones of
  1000.
- `csv.reader`, `csv.DictReader`, `io.TextIOWrapper` over an open file: one worker gives **nothing** from the
  second epoch on, two or four give torn rows.
- `pandas.read_csv` with a `chunksize` or as an `iterator`: 141,000 to 179,000 of 200,000 rows are **silently
  lost**, or it fails with ParserError, where 4 workers keep one chunk in four each.
- `imageio.get_reader`, `imageio.v3.imopen`: of a GIF 0 to 92 failed reads and 0 to 18 **silently wrong** ones
  of 200, of an .mp4 up to 3 wrong ones of 190 by FFMPEG. By PyAV, and with `av.open`, 132 to 156 failed ones.
- `decord.VideoReader`, also with `num_threads=1`: the worker **hangs** in 5 of 5 runs where the parent
  had read nothing from it (in the one run where it had, it did not), and in 4 of 4 where it only lets go of
  the parent's reader.
- `cv2.VideoCapture` (OpenCV 5.0): an .mp4 **hangs** in 4 of 4 runs, also where the parent has only asked for
  the number of frames, and where the worker lets go of the parent's; of an .avi of MJPG 35 to 64 reads failed
  and 159 to 187 were **silently wrong** of 400, and it hangs where the parent has read a frame.
- A `ZipFile` opened when first needed, 2000 reads: no error where only workers need it, 1 and 67 where the
  constructor has listed it, 116 and 162 where `__len__` has; where main has called a method that reads from
  it, 5 of 5 epochs failed, without the call none. A file in a `threading.local()` that the constructor has
  read: 476 and 2,168 **silently wrong** reads of 400,000.
- `lmdb` 3.0, opened anew in a forked worker while the inherited environment is still open: all of 8000 reads
  failed (`The environment ... is already open in this process`; 2.0 to 2.3 refuse it likewise, 1.x do not),
  none where the worker closes the inherited one first. So it is with `pyedflib.EdfReader` (0.1.42): forked
  workers fail with `file has already been opened`.
- pysam: `FastaFile` 10 to 37 **silently wrong** reads of 4000; `AlignmentFile`, `VariantFile` and `TabixFile`
  955 to 1998 failed ones of 2000, 1 to 142 wrong; `pyfaidx.Fasta` 22 to 203 **silently wrong** ones of 4000,
  `pyedflib.EdfReader` 3 to 322 of 2000 to 4000; of a PDF file `fitz.open` 78 to 493 wrong pages of 800 and up
  to 305 failed ones, `pypdfium2.PdfDocument` 1 to 4 **silently wrong** ones of 800.
- fsspec: of a local file 1 to 468 of 4000 reads were **silently wrong**, of a file of S3 all failed (`This
  class is not fork-safe`), with one read by HTTP all workers **hang**. Pickle sends these well.
- `torchcodec` (0.11): 1 to 9 of 200 frames failed and 0 to 2 were **silently wrong**; with
  `num_ffmpeg_threads=0` all workers **hang**. Of a sound file 106 to 146 pieces of 190 failed. Pickle sends
  the decoders, and all reads of what arrives fail, or hang.
- `zarr.ZipStore`, and arrays of it: 0 to 44 of 2000 reads failed (2.18), 3 to 20 (3.1). Pickle sends it well.
- `pyBigWig`: 25 of 4000 reads failed; `zipfile.Path`: 62 of 2000; `segyio`: 40 of 4000 and `laspy` 56 of 2000
  were **silently wrong**; with a `SqliteDict`, whose thread only the parent has, all workers **hang**.
- `openslide`: no wrong read (it opens the file for each).
- `PIL.Image.open` (Pillow 13), two workers, made anew in each epoch: 60 images that nothing has read yet are
  right in the first epoch, and in each further one all 60 fail (`OSError: image file is truncated`); of the
  60 frames of one TIFF file up to 32 fail and 10 are **silently wrong**. Pickle sends the pixels.
- `h5py`, PyTables, `pandas.HDFStore`, `sqlite3` (reading), `mmap`, `os.pread`, `np.memmap`: no wrong read.
- `psycopg2` and GDAL's own datasets were not tried: the documents of the first forbid it, and rasterio reads
  with the second.
- `netCDF4.Dataset`: no wrong read of files in the format NETCDF4, 3000 to 4000 failed ones of 4000 in the
  NETCDF3 formats.

Under spawn and forkserver (Python 3.14 on Linux, macOS, Windows) none of the others can be sent to a worker:
`TypeError: cannot pickle ...` for files of all kinds, sqlite3, lmdb, h5py, mmap, cv2.VideoCapture, and
errors of their own for netCDF4, rasterio, PyAV, decord, pysam, PDF files and openslide. Of a descriptor
(`os.open`) the number is sent, which means no file there, or another: `OSError: Bad file descriptor`. A
`__getstate__` that drops the handle cures that, but not what forked workers do.

## Example

```python
class Tiles(Dataset):
    def __init__(self, path):
        self.file = open(path, "rb")

    def __getitem__(self, index):
        self.file.seek(index * SIZE)
        return self.file.read(SIZE)
```

Use instead a handle for each process:

```python
    def __init__(self, path):
        self.path = path
        self._file_by_pid = {}

    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = open(self.path, "rb")
        return self._file_by_pid[pid]

    def __getstate__(self):
        return {**self.__dict__, "_file_by_pid": {}}
```

## Level

- `error`, silent: forked workers read wrong data (files, tar archives, rasterio, sound, imageio, FASTA, PDF,
  pandas' chunks).
- `error`, error: forked workers fail (zip, npz, LMDB, alignments, PyAV, torchcodec, unread images), or
  workers are started anew: no handle but those of fsspec and zarr, and images, can be pickled, and from
  Python 3.13 on a `zipfile.Path`.
- `error`, hang: decord, OpenCV's video captures, `SqliteDict`.
- `warning`, error: what forked workers can share (HDF5, netCDF, SQLite, memory maps, slides, descriptors),
  if workers are not forked; what only names tell to be an `.npz`, if it is one.

A `warning` instead where workers run the code only under a condition: an option for the number of workers
that is 0 by default, another that is off by default and that the loader, its dataset or this code hangs on, a
dataset that no loader of the project is seen to get, or a loader in a function that nothing in the project
calls.

## Fix safety

Unsafe: the file is opened later, when it is first asked for, and once in each process; one that is not
there is missed then and not in the constructor. What it is opened with is kept as it was. An inherited
`__getstate__` is built upon. A part that is kept under a key which is written out, or which the object or
its method is given (`self.images = self.file["images"]`) becomes a property as well, and so does a cursor
of an SQLite connection that each method asks first. What is opened under `if self.file is None:` stays so,
and the test asks as well whether it is this process's. Left to you: an attribute that any code of the
program stores or deletes (a subclass, a script, `setattr`), a class with `__slots__`, `__del__`,
`__getattr__` or a `__getstate__` of another kind, one derived from a library's class that may have its own,
handles in a list or dict that no comprehension over paths makes, other parts kept of one, one that the
object is given open (give it the path), one that others have it open, one that a method returns which does
more, what is opened when first needed and read where nobody asks for it, decord's readers, video captures
and unread images. So is what another process would not find, or not as it is here: what is in memory, a
temporary or removed file, one read from another open one or by the number of one, a path that may be
relative where the program calls `os.chdir`, what is set up once it is open, a file that is read on from
where the constructor left it, and one whose errors the constructor handles.

## References

- https://docs.python.org/3/library/os.html#os.fork
- https://lmdb.readthedocs.io/en/release/#environment-class
- https://docs.python.org/3/library/pickle.html#handling-stateful-objects
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from dlint.fork.early.opened_late import asked_for_by_others
from dlint.program.conditions import start_by_default
from dlint.program.program import Program
from dlint.rules.handles.elsewhere import of_functions, of_globals, of_options, under_keys
from dlint.rules.handles.of_objects import kept_open, opened_late, read_by_others, stored_open
from dlint.rules.rule import Found
from dlint.values.values import Instance, Key
from dlint.workers.events import Visit
from dlint.workers.sharing import by_dataset
from dlint.workers.uses import WorkerUse


def check(program: Program) -> Iterator[Found]:
    """Handles that workers inherit or cannot be sent."""
    for uses in by_dataset(program.uses):
        code = uses[0].code
        owners = {
            part.value.key: (part.value, part.pickled)
            for part in program.shipped(uses[0])
            if isinstance(part.value, Instance)
        }
        starts = dict.fromkeys(start_by_default(program, use) for use in uses)
        for owner, sent in owners.values():
            visits = [visit for visit in _visits(program, uses[0]) if _is_method(visit, owner, owners)]
            for start in starts:
                yield from read_by_others(program, uses, owner, visits, code, start, sent)
                if visits:
                    yield from kept_open(program, uses, owner, visits, start, sent)
            for use in uses:
                yield from stored_open(program, use, owner, visits, sent)
            asked = asked_for_by_others(program, owner, code, visits)
            yield from opened_late(program, uses, owner, [*visits, *asked], sent)
        for use in uses:
            yield from under_keys(program, use, [owner for owner, _ in owners.values()])
            yield from of_functions(program, use, {key: owner for key, (owner, _) in owners.items()})
            yield from of_options(program, use)
        for start in starts:
            yield from of_globals(program, uses, code, start)


def _visits(program: Program, use: WorkerUse) -> list[Visit]:
    """The functions that workers run for a use; with the ``collate_fn``, which may be a method of a dataset,
    those that they run for the datasets beside it."""
    if use.dataset is not None or use.loader is None:
        return list(use.code.visits)
    own = [visit for visit in use.code.visits if visit.role == "collate_fn"]
    others = [each for each in program.uses_of(use.loader) if each.dataset is not None]
    return [*own, *(visit for each in others for visit in each.code.visits)]


def _is_method(visit: Visit, owner: Instance, owners: Container[Key]) -> bool:
    """Whether workers run a method of an object, or of one of another dataset that is made at the same place
    and does alike, and stands for all that are."""
    receiver = visit.function.receiver
    if not isinstance(receiver, Instance):
        return False
    return receiver.key == owner.key or (
        receiver.node is owner.node is not None
        and receiver.cls.node is owner.cls.node
        and receiver.key not in owners
    )
