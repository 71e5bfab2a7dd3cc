"""What is read from stacks that somebody has written down, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dlint.doctor import dumps
from dlint.doctor.diagnosis import Diagnosis, diagnose
from dlint.doctor.report import as_data, as_text

_FORK = """    run (multiprocessing/process.py:108)
    _bootstrap (multiprocessing/process.py:314)
    _launch (multiprocessing/popen_fork.py:71)
    __init__ (multiprocessing/popen_fork.py:19)
    start (multiprocessing/process.py:121)
    __init__ (torch/utils/data/dataloader.py:1176)
    train (shop/train.py:40)
    <module> (shop/train.py:50)
"""
_MAIN = """Process 11: python train.py
Python v3.11.7 (/usr/bin/python3.11)

Thread 11 (idle): "MainThread"
    select (selectors.py:415)
    wait (multiprocessing/connection.py:947)
    poll (multiprocessing/connection.py:257)
    get (multiprocessing/queues.py:113)
    _try_get_data (torch/utils/data/dataloader.py:1291)
    _get_data (torch/utils/data/dataloader.py:1464)
    _next_data (torch/utils/data/dataloader.py:1505)
    __next__ (torch/utils/data/dataloader.py:725)
    train (shop/train.py:40)
    <module> (shop/train.py:50)
Thread 12 (idle): "QueueFeederThread"
    wait (threading.py:327)
    _feed (multiprocessing/queues.py:231)
    run (threading.py:982)
"""
_FETCH = """    fetch (torch/utils/data/_utils/fetch.py:54)
    _worker_loop (torch/utils/data/_utils/worker.py:374)
"""


def _worker(inner: str, *more: str, fork: bool = True) -> str:
    head = 'Process 21: python train.py\nPython v3.11.7 (/usr/bin/python3.11)\n\nThread 21 (idle): "MainThread"\n'
    return head + inner + _FETCH + (_FORK if fork else "") + "".join(more)


_POOL = """    wait (threading.py:327)
    wait (threading.py:629)
    wait (multiprocessing/pool.py:765)
    get (multiprocessing/pool.py:768)
    map (multiprocessing/pool.py:367)
    __getitem__ (shop/photos.py:25)
"""
_FUTURE = """    wait (threading.py:327)
    result (concurrent/futures/_base.py:451)
    __getitem__ (shop/photos.py:25)
"""
_OWN_THREAD = """Thread 22 (idle): "ThreadPoolExecutor-0_0"
    get (queue.py:171)
    _worker (concurrent/futures/thread.py:81)
    run (threading.py:982)
"""
_QUEUE = """    wait (threading.py:327)
    get (queue.py:171)
    __iter__ (shop/stream.py:9)
"""
_SHARED_QUEUE = """    get (multiprocessing/queues.py:113)
    __iter__ (shop/stream.py:9)
"""
_LOCK = """    PyThread_acquire_lock_timed (libpython3.11.so.1.0)
    lock_PyThread_acquire_lock (libpython3.11.so.1.0)
    __getitem__ (shop/cache.py:7)
"""
_OPENMP = """    0x7f (libgomp.so.1.0.0)
    cv::parallel_for_ (cv2/cv2.abi3.so)
    cv::GaussianBlur (cv2/cv2.abi3.so)
    __getitem__ (shop/photos.py:25)
"""
_DESTROY = """    pthread_cond_destroy (libc.so.6)
    0x7f (cv2/cv2.abi3.so)
    begin (shop/photos.py:12)
"""
_OPENCL = """    pthread_cond_wait (libc.so.6)
    POclFinish (CL/clFinish.c:44)
    0x7f (cv2/cv2.abi3.so)
    __getitem__ (shop/photos.py:25)
"""
_TORCH = """    0x7f (libgomp.so.1.0.0)
    at::internal::invoke_parallel (libtorch_cpu.so)
    __getitem__ (shop/photos.py:25)
"""
_POLARS = """    collect (polars/lazyframe/frame.py:1942)
    __getitem__ (shop/table.py:5)
"""
_IDLE = """Process 21: python train.py
Python v3.11.7 (/usr/bin/python3.11)

Thread 21 (idle): "MainThread"
    poll (multiprocessing/connection.py:257)
    get (multiprocessing/queues.py:113)
    _worker_loop (torch/utils/data/_utils/worker.py:330)
"""


def _diagnosed(text: str) -> Diagnosis:
    return diagnose(dumps.read(text), lambda _: [])


def _said(diagnosis: Diagnosis) -> list[tuple[str, bool, str | None]]:
    return [
        (
            each.cause.code,
            each.cause.sure,
            f"{each.cause.place.file}:{each.cause.place.line}" if each.cause.place else None,
        )
        for each in diagnosis.causes
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_worker(_POOL), [("DL102", True, "shop/photos.py:25")]),
        (_worker(_FUTURE), [("DL102", True, "shop/photos.py:25")]),
        (_worker(_QUEUE), [("DL102", True, "shop/stream.py:9")]),
        (_worker(_LOCK), [("DL102", True, "shop/cache.py:7")]),
        (_worker(_SHARED_QUEUE), [("DL102", False, "shop/stream.py:9")]),
        (_worker(_DESTROY), [("DL101", True, "shop/photos.py:12")]),
        # At one moment a worker that gets on may stand there, too.
        (_worker(_OPENMP), [("DL101", False, "shop/photos.py:25")]),
        (_worker(_OPENCL), [("DL101", False, "shop/photos.py:25")]),
        (_worker(_TORCH), [("DL106", False, "shop/photos.py:25")]),
        (_worker(_POLARS), [("DL106", False, "shop/table.py:5")]),
        # What waits with its own pool's threads beside it waits for these.
        (_worker(_FUTURE, _OWN_THREAD), []),
        # A worker that was not forked has left nothing behind.
        (_worker(_FUTURE, fork=False), [("DL102", False, "shop/photos.py:25")]),
        (_MAIN + "\n" + _IDLE, [("DL506", False, "shop/train.py:40")]),
        (_MAIN + "\n" + _worker(_POOL), [("DL102", True, "shop/photos.py:25")]),
        (_MAIN, []),
        (_IDLE, []),
    ],
)
def test_py_spy(text: str, said: list[tuple[str, bool, str | None]]) -> None:
    assert _said(_diagnosed(text)) == said


def test_several_processes_that_show_the_same_are_one_cause() -> None:
    text = _MAIN + "\n" + _worker(_POOL) + "\n" + _worker(_POOL).replace("21", "22")
    diagnosis = _diagnosed(text)
    [only] = diagnosis.causes
    assert [process.pid for process in only.cause.processes] == [21, 22]
    lines = list(as_text(diagnosis))
    assert "22 worker   the same" in " ".join(lines)
    assert as_data(diagnosis)["causes"][0]["processes"] == [21, 22]


def test_json_of_py_spy() -> None:
    frames = [
        ("wait", "threading.py"),
        ("result", "concurrent/futures/_base.py"),
        ("__getitem__", "/srv/shop/photos.py"),
    ]
    frames += [
        ("_worker_loop", "torch/utils/data/_utils/worker.py"),
        ("_launch", "multiprocessing/popen_fork.py"),
    ]
    told = [
        {
            "pid": 7,
            "thread_name": "MainThread",
            "frames": [{"name": name, "filename": file, "line": 25} for name, file in frames],
        }
    ]
    text = json.dumps(told) + "\n" + json.dumps([{**told[0], "pid": 8}])
    assert _said(_diagnosed(text)) == [("DL102", True, "/srv/shop/photos.py:25")]


_GDB = """\
Attaching to process 21
Thread 2 (Thread 0x7fb6 (LWP 22)):
#0  0x00007fc739c909c8 in accept4 (fd=7,
    addr=...) at ../sysdeps/unix/sysv/linux/accept4.c:40
Thread 1 (Thread 0x7fb5 (LWP 21)):
#0  0x00007f0cb754a719 in gomp_team_barrier_wait_final (bar=<optimized out>)
    at libgomp/config/linux/bar.c:136
#1  0x00007f0cb75486e1 in GOMP_parallel () from /usr/lib/libgomp.so.1
"""
_PY_BT = """\
Thread 1 (Thread 0x7fb5 (LWP 21)):
(gdb) py-bt
#4 Frame 0x7f34, for file /usr/lib/python3.8/threading.py, line 302, in wait (self=<Condition(at=1)>)
#8 Frame 0x7f35, for file /usr/lib/python3.8/queue.py, line 170, in get (self=<Queue()>)
#12 Frame 0x7f36, for file /usr/lib/python3/dist-packages/torch/utils/data/dataloader.py, line 900, in _try_get_data (x=1)
#14 Frame 0x7f37, for file /home/me/train.py, line 12, in main (x=1)
"""
_FAULT = """\
Current thread 0x00007f0c (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 327 in wait
  File "/usr/lib/python3.11/concurrent/futures/_base.py", line 451 in result
  File "/home/me/photos.py", line 25 in __getitem__
  File "/usr/lib/python3/dist-packages/torch/utils/data/_utils/worker.py", line 300 in _worker_loop
  File "/usr/lib/python3.11/multiprocessing/popen_fork.py", line 71 in _launch
"""
_INTERRUPTED = """\
^CTraceback (most recent call last):
  File "train.py", line 12, in <module>
    for batch in loader:
  File "/opt/lib/python3.6/site-packages/torch/utils/data/dataloader.py", line 280, in __next__
    idx, batch = self._get_batch()
  File "/opt/lib/python3.6/site-packages/torch/utils/data/dataloader.py", line 259, in _get_batch
    return self.data_queue.get()
  File "/opt/lib/python3.6/queue.py", line 164, in get
    self.not_empty.wait()
KeyboardInterrupt
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (_GDB, "waits in OpenMP for its threads"),
        (_PY_BT, "waits for an item of a DataLoader"),
        (_FAULT, "waits for the result of a pool"),
        (_INTERRUPTED, "waits for an item of a DataLoader"),
    ],
)
def test_other_tools(text: str, words: str) -> None:
    assert [what.words for _, what in _diagnosed(text).does] == [words]


@pytest.mark.parametrize(
    "text", ["", "no stack", "[]", "[1]", "[[[", '[{"frames": 3}]', "Thread 1 (idle)", "\0" * 99]
)
def test_what_holds_no_stack(text: str) -> None:
    with pytest.raises(dumps.NoStacks):
        dumps.read(text)


@pytest.mark.parametrize(
    "text", ["Thread 1 " * 9_000, "    f (" * 9_000, "#0  " + "(" * 50_000, '  File "' + "a" * 90_000]
)
def test_long_lines_take_no_time(text: str) -> None:
    with pytest.raises(dumps.NoStacks):
        dumps.read(text)


def test_names_of_frames_do_not_command_the_terminal(tmp_path: Path) -> None:
    text = _worker(_POOL.replace("shop/photos.py", "shop/\x1b[2Jphotos.py"))
    assert "\x1b" not in "\n".join(as_text(_diagnosed(text)))
