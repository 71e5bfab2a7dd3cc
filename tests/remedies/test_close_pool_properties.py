"""Functions around a pool that nobody ended: they give what they gave, and the pool has ended."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from unittest import mock

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dlint.remedies.processes import close_pool
from dlint.rewriting.edits import Edits
from dlint.rewriting.refusal import CannotRepair
from tests.remedies.case import finding_at, opened

_HEAD = """\
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool


def work(number):
    return number * number


"""
# Statements that use the pool, each with what it leaves in `out`.
_OF_THREAD_POOL = (
    "out.extend(pool.map(work, xs))",
    "out += list(pool.imap(work, xs))",
    "out.append(pool.apply(work, (3,)))",
    "out.append(pool.apply_async(work, (4,)).get())",
    "later = pool.imap(work, xs)\nout.append(5)\nfor each in later:\n    out.append(each)",
    "tasks = [pool.apply_async(work, (x,)) for x in xs]\nout += [task.get() for task in tasks]",
    "tasks = []\nfor x in xs:\n    tasks.append(pool.apply_async(work, (x,)))\nfor task in tasks:\n    out.append(task.get())",
    "tasks = pool.imap(work, xs)\nlazy = (each + 1 for each in tasks)\nout.append(sum(lazy))",
    "for each in pool.imap(work, xs):\n    if each > 4:\n        break\n    out.append(each)",
)
_OF_EXECUTOR = (
    "out += list(pool.map(work, xs))",
    "out.append(pool.submit(work, 4).result())",
    "tasks = [pool.submit(work, x) for x in xs]\nfor task in tasks:\n    out.append(task.result())",
    "later = pool.map(work, xs)\nout.append(5)\nout += later",
)
_PLAIN = (
    "out.append(1)",
    "if xs:\n    out.append(2)",
    'text = """a\n  b"""\nout.append(len(text))',
    "# why\nout = out[:]",
)


@st.composite
def _functions(draw: st.DrawFn) -> tuple[str, bool]:
    executor = draw(st.booleans())
    uses = draw(
        st.lists(st.sampled_from(_OF_EXECUTOR if executor else _OF_THREAD_POOL), min_size=1, max_size=2)
    )
    plain = draw(st.lists(st.sampled_from(_PLAIN), max_size=2))
    order = draw(st.permutations([*uses, *plain]))
    tail = draw(st.sampled_from(["return out", "out.append(7)\nreturn out"]))
    made = "ThreadPoolExecutor(2)" if executor else "ThreadPool(2)"
    body = "\n".join([f"pool = ⟦{made}⟧", *order, tail])
    loop = draw(st.booleans())
    depth = "        " if loop else "    "
    text = f"{_HEAD}def f(xs):\n    out = []\n" + ("    for _ in range(2):\n" if loop else "")
    if loop:
        body = body.removesuffix("\nreturn out")
    lines = _indented(body, depth)
    return text + lines + ("    return out\n" if loop else ""), executor


def _indented(body: str, depth: str) -> str:
    """The statements in a block; the text of a string stays where it is."""
    lines, inside = [], False
    for line in body.split("\n"):
        lines.append(line if inside else depth + line)
        inside ^= line.count('"""') % 2 == 1
    return "\n".join(lines) + "\n"


def _run(text: str) -> tuple[object, bool]:
    """What the function gives, and whether its pool has ended."""
    pools: list[ThreadPool] = []
    executors: list[ThreadPoolExecutor] = []

    class KeptPool(ThreadPool):
        def __init__(self, size: int) -> None:
            super().__init__(size)
            pools.append(self)

    class KeptExecutor(ThreadPoolExecutor):
        def __init__(self, size: int) -> None:
            super().__init__(size)
            executors.append(self)

    names: dict[str, object] = {"__name__": "program"}
    with (
        mock.patch("multiprocessing.pool.ThreadPool", KeptPool),
        mock.patch("concurrent.futures.ThreadPoolExecutor", KeptExecutor),
    ):
        exec(compile(text, "program.py", "exec", dont_inherit=True), names)
    result = names["f"]([1, 2, 3])  # type: ignore[operator]
    ended = all(pool._state != "RUN" for pool in pools) and all(each._shutdown for each in executors)  # type: ignore[attr-defined]
    for pool in pools:
        pool.terminate()
    for executor in executors:
        executor.shutdown()
    return result, ended


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
)
@given(_functions())
def test_the_function_gives_the_same_and_its_pool_has_ended(program: tuple[str, bool]) -> None:
    marked, executor = program
    before = marked.replace("⟦", "").replace("⟧", "")
    source = opened(before, {})
    edits = Edits(source)
    try:
        close_pool.repair(source, finding_at(marked, "close_pool", {}), edits)
    except CannotRepair as refusal:
        assert "close and join it" in str(refusal)
        assert executor and "out += later" in before  # the only use here whose reading cannot be seen
        return
    after = source.encode(edits.apply()).decode()
    (result, was_ended), (same, is_ended) = _run(before), _run(after)
    assert result == same
    assert is_ended and not was_ended
