"""A handle opened before the workers start is read in worker code.

## What it finds

An open file, archive, database or video that the dataset or the `collate_fn` (or an object it holds, or a
module) opens when it is made, in its constructor or in a method that the constructor calls, and that worker
code reads: itself, or a part kept of it (HDF5: `self.images = file["images"]`, `file.get("images")`; netCDF:
`file.variables["t"]`; zarr: `zarr.group(store)["images"]` of a zip store; a cursor of SQLite, a transaction
of LMDB, a stream of PyAV, a page, series or level of a TIFF file), or one of a list or dict of them
(`{k: file[k] for k in keys}`). Where no path says that `np.load` opens an `.npz`, what is asked of it does:
`self.data.files`, or only names (`self.data["x"]`), as those of a `.npy` with fields may be as well.

Also one that a function brings which workers get: bound by a partial (`partial(read, open(path))`, be it
the `collate_fn`), left by the function around it, or whose method it is (`self.read = archive.read`); and one
that a kept reader reads on (`csv.reader(file)`).

Also one that others put on an object once it is made (`dataset.file = open(path)`), or have it open
(`dataset.open()`, `with Rows(path) as dataset:`), before the loader is made, where nothing closes it by then.

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

Unsafe: the file is opened later, when it is first asked for, and once in each process; one that is not there
is missed then and not in the constructor. What it is opened with is kept as it was. An inherited
`__getstate__` is built upon. A part that is kept under a key which is written out (`self.images =
self.file["images"]`) becomes a property as well, and so does a cursor of an SQLite connection that each
method asks first. Left to you: an attribute that any code of the program stores or deletes (a subclass, a
script, `setattr`), a class with `__slots__`, `__del__`, `__getattr__` or a `__getstate__` of another kind,
one derived from a library's class that may have its own, handles in a list or
dict, other parts kept of one, one that the object is given open (give it the path), one that others have it
open, one that a method returns, what is opened when first needed, decord's readers, video captures and unread
images. So is what another process would not find, or not as it is here: what is in memory, a temporary or
removed file, one read from another open one or by the number of one, a path that may be relative where the
program calls `os.chdir`, what is set up once it is open, a file that is read on from where the constructor
left it, and one whose errors the constructor handles.

## References

- https://docs.python.org/3/library/os.html#os.fork
- https://lmdb.readthedocs.io/en/release/#environment-class
- https://docs.python.org/3/library/pickle.html#handling-stateful-objects
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping

from dlint.finding import Remedy
from dlint.fork.early.opened_late import (
    Opened,
    asked_for_by_others,
    bound_names,
    opened_in,
    path_of,
)
from dlint.fork.early.per_process import is_for_one_process
from dlint.fork.early.reset import is_met_after_fork, is_reset_in_workers, resetting
from dlint.fork.early.unread import is_read_early, unread_image
from dlint.fork.early.when import BEFORE, BY_CONSTRUCTOR, When, needed_besides, needed_early
from dlint.fork.handles import handle_of, read_as_npz
from dlint.fork.held_handles import (
    Held,
    held,
    is_released,
    keeps_part,
    keeps_what_is_there,
    only_by_number,
    read_on,
)
from dlint.fork.kept.by_key import KeptByKey
from dlint.fork.set_elsewhere import left_as_made
from dlint.fork.sides import names_of, renewed
from dlint.knowledge.processes.handles import Handle
from dlint.objects.pickled_state import is_pickled
from dlint.program.asked import for_events, for_held, for_holder, for_made, for_visit
from dlint.program.conditions import NOT_FORKED, any_loaded, both, start_by_default
from dlint.program.handles.closed_by_others import is_closed_by_others
from dlint.program.handles.events import events_of_handles, part_read, read_elsewhere
from dlint.program.handles.in_functions import in_functions
from dlint.program.handles.kept_early import kept_early
from dlint.program.handles.of_modules import is_at_import, of_modules
from dlint.program.handles.on_options import on_options
from dlint.program.handles.opened_beside import opened_beside
from dlint.program.handles.opened_by_others import opened_by_others
from dlint.program.program import Program
from dlint.rules.rule import Found
from dlint.rules.wording import brief, place
from dlint.source.desugaring.records import is_record
from dlint.source.statements import functions_in, own_names, parameters
from dlint.values.values import Class, Instance, Key, Made
from dlint.workers.events import Event, Visit
from dlint.workers.repetition import is_cached_beside
from dlint.workers.sharing import by_dataset
from dlint.workers.uses import WorkerUse
from dlint.workers.worker import WorkerCode

_IS_NPZ = "the file is an .npz"
_LEFT_OUT = "leave it out in __getstate__, also in those of classes derived from it"
# What to do where a handle for each process is not all.
_BY_HAND = {
    "among others": "open them in each process, keyed on os.getpid(), and leave them out of __getstate__",
    "among others, once": "open them in each process, keyed on os.getpid(), after closing the inherited "
    "ones, and leave them out of __getstate__",
    "a part of it": "open the file in each process, keyed on os.getpid(), and take its parts there",
    "read through": "open the file, and make what reads it, where the worker begins to read",
}


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
                yield from _read_by_others(program, uses, owner, visits, code, start, sent)
                if visits:
                    yield from _kept(program, uses, owner, visits, start, sent)
            for use in uses:
                yield from _stored(program, use, owner, visits, sent)
            asked = asked_for_by_others(program, owner, code, visits)
            yield from _lazy(program, uses, owner, [*visits, *asked], sent)
        for use in uses:
            yield from _by_key(program, use, [owner for owner, _ in owners.values()])
            yield from _in_functions(program, use, {key: owner for key, (owner, _) in owners.items()})
            yield from _on_options(program, use)
        for start in starts:
            yield from _global(program, uses, code, start)


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


def _kept(
    program: Program,
    uses: list[WorkerUse],
    owner: Instance,
    visits: list[Visit],
    start: str | None,
    sent: bool,
) -> Iterator[Found]:
    """Handles that an object holds once it is made."""
    reads = [(visit, _reads(visit)) for visit in visits]
    names = {name for _, read in reads for name in read}
    for there in held(program, owner, names):
        name, value, how, _ = there
        handle, sure = handle_of(program.evaluator, value), True
        if handle is None and how == "alone":
            handle, sure = read_as_npz(program.evaluator, value, owner, name) or (None, True)
        unread = unread_image(program, owner, name, value) if handle is None else None
        handle = handle or unread
        if handle is None:
            continue
        assert isinstance(value, Made)
        kept = [
            use
            for use in left_as_made(program, uses, owner, name)
            if not _is_renewed(program, use, owner, name, value)
        ]
        if unread is not None:
            kept = [use for use in kept if not is_read_early(program, use, owner, visits)]
        if not any(start_by_default(program, use) == start for use in kept):
            continue
        binding = [visit for visit in visits if path_of(visit, name) in visit.frame.layout.binds]
        if not all(keeps_what_is_there(visit, name) for visit in binding):
            continue
        own = bool(binding) and is_for_one_process(visits)
        if own and start in (None, "fork"):
            continue
        if binding:
            kept = [use for use in kept if not is_closed_by_others(program, use, owner, name)]
            if not kept:
                continue
        # What forked workers share under a key is another matter: see _by_key.
        by_key = how == "under a key"
        if handle.forked and (by_key or only_by_number(visits, name) or is_released(value, name)):
            handle = handle._replace(forked="")
        if handle.number and read_on(visits, name):
            handle = handle._replace(forked="read wrong data")
        for visit, read in reads:
            if name in read:
                attribute = (owner.cls, name)
                when = BY_CONSTRUCTOR if binding else BEFORE
                hangs = for_holder(program, uses[0], owner)
                found = _found(
                    program, kept, handle, value, visit, read[name], start, sent, attribute, when, hangs
                )
                if how == "alone" and keeps_part(program, owner, value):
                    # A handle for each process would leave the part as it is.
                    there = there._replace(how="a part of it")
                for each in _as_held(program, owner, found, handle, there):
                    if own:  # it is sent to those that are not forked, all the same
                        each = each._replace(cure=_LEFT_OUT, remedy=None, by_hand=_LEFT_OUT)
                    yield each if sure else each._replace(condition=both(each.condition, _IS_NPZ))
                break


def _is_renewed(program: Program, use: WorkerUse, owner: Instance, name: str, made: Made) -> bool:
    """Whether the workers of a use get another handle under an attribute of an object where they start."""
    return renewed(program, use, made) or is_met_after_fork(program, use, made, owner.cls, {name})


def _stored(
    program: Program, use: WorkerUse, owner: Instance, visits: list[Visit], sent: bool
) -> Iterator[Found]:
    """Handles that others put on an object once it is made, or have it open, before the loader of a use is
    there."""
    reads = [(visit, _reads(visit)) for visit in visits]
    reads += list(read_elsewhere(program, use))
    names = {name for _, read in reads for name in read} - bound_names(visits)
    for opened in opened_by_others(program, use, owner, names) if names else ():
        store = opened.store
        visit, read = next((visit, read[store.name]) for visit, read in reads if store.name in read)
        if is_met_after_fork(program, use, opened.made, owner.cls, {store.name}):
            continue
        start = start_by_default(program, use)
        when = BEFORE
        if opened.made.point.statement is not store.point.statement and store.point.statement is not None:
            when = When(BEFORE.how, (store.point.frame.module, store.by), "at")
        attribute = (owner.cls, store.name)
        for found in _found(
            program, [use], opened.handle, opened.made, visit, read, start, sent, attribute, when
        ):
            yield found._replace(remedy=None, by_hand=opened.handle.advice)


def _read_by_others(
    program: Program,
    uses: list[WorkerUse],
    owner: Instance,
    visits: list[Visit],
    code: WorkerCode,
    start: str | None,
    sent: bool,
) -> Iterator[Found]:
    """Handles that an object holds once it is made, and that other worker code reads (``self.shard.file``)
    and no method of the object."""
    seen = {name for visit in visits for name in _reads(visit)}
    for event, made, handle in events_of_handles(program, code):
        if made.point.statement is None or not isinstance(event.node, ast.Call):
            continue
        receiver = made.point.frame.receiver
        if isinstance(receiver, Instance) and receiver.key == owner.key:
            names = {path.partition(".")[2] for path in own_names(made.point.statement)} - seen
        else:  # it may have been given it open
            part = part_read(event.node, event.point.frame)
            names = ({part} if part else _fields_taken(event.node, owner)) - seen
        seen |= names
        for there in held(program, owner, names):
            kept = [
                use
                for use in left_as_made(program, uses, owner, there.name)
                if not _is_renewed(program, use, owner, there.name, made)
            ]
            if there.value.key != made.key or not any(
                start_by_default(program, use) == start for use in kept
            ):
                continue
            reader = next((each for each in code.visits if each.frame.key == event.point.frame.key), None)
            if reader is not None and not is_for_one_process([reader]):
                attribute = (owner.cls, there.name)
                found = _found(
                    program, kept, handle, made, reader, event.node, start, sent, attribute, BEFORE
                )
                yield from _as_held(program, owner, found, handle, there)


def _fields_taken(call: ast.Call, owner: Instance) -> set[str]:
    """The fields of a record of which a name may have one: ``file, at = self.shards[key]; file.read()``."""
    taken = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    if not taken or not is_record(owner.cls.node):
        return set()
    return {
        each.arg
        for function in functions_in(owner.cls.node.body)
        if function.name == "__init__"
        for each in parameters(function)[1:]
    }


def _as_held(
    program: Program, owner: Instance, found: Iterator[Found], handle: Handle, there: Held
) -> Iterator[Found]:
    """The findings, where their object holds the handle at all; with what to do by hand where none holds it
    alone."""
    for each in found:
        each = each._replace(condition=both(each.condition, for_held(program, owner, there)))
        if there.how in ("among others", "read through"):
            each = each._replace(what=each.what.replace(f" is {handle.name} ", f" holds {handle.name} ", 1))
        if there.how == "a part of it" and each.remedy is not None and _has_parts(handle):
            data = {**each.remedy.data, "parts": True}
            yield each._replace(remedy=each.remedy._replace(data=data))
            continue
        yield (
            each if there.how == "alone" else each._replace(remedy=None, by_hand=_by_hand(handle, there.how))
        )


def _has_parts(handle: Handle) -> bool:
    """Whether a kept part of a handle may be taken anew in each process: what is under a key, or a cursor."""
    return "[]" in handle.parts or handle.parts == ("cursor",)


def _by_hand(handle: Handle, how: str) -> str:
    """What to do with a handle that no object holds alone: what is to be done with any of its kind, where a
    handle for each process is not enough."""
    if handle.cure:
        return handle.cure
    if how == "read through":
        return _BY_HAND[how]
    if how == "a part of it":
        return f"{_BY_HAND[how]}; close the inherited one first" if handle.once else _BY_HAND[how]
    return _BY_HAND["among others, once" if handle.once else "among others"]


def _lazy(
    program: Program, uses: list[WorkerUse], owner: Instance, visits: list[Visit], sent: bool
) -> Iterator[Found]:
    """Handles opened when first needed, where the parent needs them before the workers start."""
    if is_for_one_process(visits):
        return
    opened = list(opened_in(program, owner, visits))
    read = {name: (visit, node) for visit in reversed(visits) for name, node in _reads(visit).items()}
    beside = list(opened_beside(program, owner, visits, read))
    for use in uses if opened or beside else ():
        found: set[str] = set()
        for each in opened:
            when = needed_early(program, use, owner, each, _resets(program, use, owner, each))
            if when is not None:
                found.add(each.name)
                yield from _found_late(program, use, owner, each, when, each.made.node, sent)
        for each in beside:
            if each.name in found:
                continue
            when = needed_besides(program, use, owner, each, _resets(program, use, owner, each))
            if when is not None:
                yield from _found_late(program, use, owner, each, when, read[each.name][1], sent)


def _resets(program: Program, use: WorkerUse, owner: Instance, opened: Opened) -> frozenset[str]:
    return resetting(program, use, owner.cls, {opened.name})


def _found_late(
    program: Program,
    use: WorkerUse,
    owner: Instance,
    opened: Opened,
    when: When,
    read: ast.AST,
    sent: bool,
) -> Iterator[Found]:
    """What to say of a handle that the parent has opened when it needed it first."""
    handle, made, attribute = opened.handle, opened.made, (owner.cls, opened.name)
    # Letting go of one whose threads are not there hangs as well.
    if is_met_after_fork(program, use, made, owner.cls, {opened.name}) or (
        handle.effect != "hang" and is_reset_in_workers(program, use, owner, opened.name)
    ):
        handle = handle._replace(forked="")
    start = start_by_default(program, use)
    taken_along = sent and not is_cached_beside(opened.visit.function.node)
    yield from _found(program, [use], handle, made, opened.visit, read, start, taken_along, attribute, when)


def _by_key(program: Program, use: WorkerUse, owners: list[Instance]) -> Iterator[Found]:
    """Handles that are kept under a key when first needed, where the parent needs the same ones before."""
    for each, when, sure in kept_early(program, use, owners):
        if isinstance(each.made.node, ast.expr):
            handle, visit = each.handle, each.visit
            yield Found(
                each.made.point.frame.module,
                each.made.node,
                f"{each.place} {'is' if each.alone else 'holds'} {handle.name} opened {when.how}: "
                f"forked workers share it and {handle.forked}",
                handle.effect,
                f"{handle.advice}{_where(when)}",
                both(
                    any_loaded(program, [use]),
                    for_visit(program, visit, each.statement),
                    None if sure else "workers need the same one",
                ),
                visit.link.steps(each.place, visit.function.module, each.statement),
                by_hand=_of_kept(handle, each),
            )


def _in_functions(program: Program, use: WorkerUse, owners: Mapping[Key, Instance]) -> Iterator[Found]:
    """Handles that workers get in a function which reads from them: ``partial(read, open(path))``."""
    start = start_by_default(program, use)
    for made, handle, part, event, bound in in_functions(program, use):
        key, name = part.into or (None, "")
        owner = owners.get(key) if key is not None else None
        if part.into is not None and (
            owner is None
            or not left_as_made(program, [use], owner, name)
            or any(path_of(visit, name) in visit.frame.layout.binds for visit in use.code.visits)
        ):
            continue
        names = {name} if name else names_of(made)
        if renewed(program, use, made) or is_met_after_fork(
            program, use, made, owner.cls if owner is not None else None, names
        ):
            continue
        forked = handle.forked if start in (None, "fork") else ""
        pickled = bound and start != "fork" and part.pickled and not handle.sent
        if not isinstance(made.node, ast.expr) or not (forked or pickled):
            continue  # a function inside another is refused itself
        by_hand = "give the function the path, and open it there in each process, keyed on os.getpid()"
        yield _opened_before(program, use, event, made, handle, f"{part.place} holds", by_hand)


def _on_options(program: Program, use: WorkerUse) -> Iterator[Found]:
    """Handles that the parent puts among options, where worker code reads from them."""
    start = start_by_default(program, use)
    for made, handle, target, event, sent in on_options(program, use):
        forked = handle.forked if start in (None, "fork") else ""
        if not isinstance(made.node, ast.expr) or not (
            forked or (sent and start != "fork" and not handle.sent)
        ):
            continue
        by_hand = f"keep its path there, and {handle.advice}"
        yield _opened_before(program, use, event, made, handle, f"{brief(target)} is", by_hand)


def _opened_before(
    program: Program, use: WorkerUse, event: Event, made: Made, handle: Handle, what: str, by_hand: str
) -> Found:
    """The finding about a handle that no object of the dataset's class keeps."""
    start = start_by_default(program, use)
    forked = handle.forked if start in (None, "fork") else ""
    happens = f"forked workers share it and {forked}" if forked else "pickle cannot send it to workers"
    assert isinstance(made.node, ast.expr)
    return Found(
        made.point.frame.module,
        made.node,
        f"{what} {handle.name} opened before the workers start: {happens}",
        handle.effect if forked else "error",
        handle.advice,
        both(
            any_loaded(program, [use]),
            for_made(program, made),
            for_events(program, use.code, event),
            None if forked or start is not None else NOT_FORKED,
        ),
        event.link.steps(event.name, event.module, event.node),
        by_hand=handle.cure or by_hand,
    )


def _of_kept(handle: Handle, kept: KeptByKey) -> str:
    """What to do by hand with a handle that is opened when it is first asked for."""
    if kept.alone:
        return handle.cure or handle.advice
    # What a module keeps is not sent to workers with the dataset.
    return _by_hand(handle, "among others") if kept.own else handle.advice


def _global(program: Program, uses: list[WorkerUse], code: WorkerCode, start: str | None) -> Iterator[Found]:
    """Handles of a module that worker code reads; spawned workers open their own."""
    if start not in (None, "fork"):
        return
    for event, made, handle, kept in of_modules(program, uses, code):
        if isinstance(made.node, ast.expr):
            at_import = is_at_import(made)
            opened = "at import" if at_import else "by the parent"
            found = Found(
                made.point.frame.module,
                made.node,
                f"{handle.name} opened {opened} is read in worker code: forked workers share "
                f"it and {handle.forked}",
                handle.effect,
                handle.advice,
                both(any_loaded(program, kept), for_made(program, made), for_events(program, code, event)),
                event.link.steps(event.name, event.module, event.node),
                Remedy(
                    "handle_per_process", "unsafe", "Open it in each process", {"once": bool(handle.once)}
                ),
            )
            if handle.cure or not at_import:
                found = found._replace(remedy=None, by_hand=handle.advice)
            yield found


def _where(when: When) -> str:
    """The place that a message names beside that of the handle."""
    return f" ({when.what} {place(*when.at)})" if when.at is not None else ""


def _read_as(node: ast.AST, name: str) -> str:
    """How a handle is called where it is read."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return ast.unparse(node.func)
    return f"self.{name}"


def _reads(visit: Visit) -> dict[str, ast.AST]:
    """The attributes of its object that a method reads, each with the first place where it does; what a
    lambda in it reads, the method reads."""
    return visit.frame.layout.reads.get(path_of(visit, "")[:-1], {})


def _found(
    program: Program,
    uses: list[WorkerUse],
    handle: Handle,
    made: Made,
    visit: Visit,
    read: ast.AST,
    start: str | None,
    sent: bool,
    attribute: tuple[Class, str],
    when: When,
    hangs: str | None = None,
) -> Iterator[Found]:
    forked = handle.forked if start in (None, "fork") else ""
    cls, name = attribute
    pickled = start != "fork" and sent and not handle.sent and is_pickled(program.evaluator, cls, name)
    if not isinstance(made.node, ast.expr) or not (forked or pickled):
        return
    lost = "workers are sent its number alone" if handle.number else "pickle cannot send it to workers"
    happens = f"forked workers share it and {forked}" if forked else lost
    open_start = None if forked or start is not None else NOT_FORKED
    module = made.point.frame.module if read is made.node else visit.function.module
    found = Found(
        made.point.frame.module,
        made.node,
        f"{cls.name}.{name} is {handle.name} opened {when.how}: {happens}",
        handle.effect if forked else "error",
        f"{handle.advice}{_where(when)}",
        both(
            any_loaded(program, uses),
            hangs or for_made(program, made),
            for_visit(program, visit, read),
            open_start,
        ),
        visit.link.steps(_read_as(read, name), module, read),
        Remedy(
            "handle_per_process",
            "unsafe",
            "Open it in each process and leave it out of pickles",
            {"attribute": name, "class": cls.name, "once": bool(handle.once)},
        ),
    )
    yield found._replace(remedy=None, by_hand=handle.cure) if handle.cure else found
