"""Programs around an attribute that becomes one of each process: what main sees stays, what workers get is theirs."""

from __future__ import annotations

import copy
import os
import pickle
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from dlint.remedies.processes import handle_per_process
from dlint.remedies.seeds import generator_per_worker
from dlint.rewriting.edits import Edits
from dlint.rewriting.refusal import CannotRepair
from tests.remedies.case import finding_at, opened

_BASES = {
    "plain": "",
    "state": """
    def __getstate__(self):
        state = self.__dict__.copy()
        del state["lock"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()
""",
    "built": """
    def __getstate__(self):
        return {**super().__getstate__(), "lock": None}
""",
    "list": """
    def __getstate__(self):
        return [1]

    def __setstate__(self, state):
        self.lock = None
""",
}
_OWN = {
    "none": "",
    "copy": """
    def __getstate__(self):
        state = dict(self.__dict__)
        state["lock"] = None
        return state
""",
    "display": """
    def __getstate__(self):
        return {**self.__dict__, "lock": None}
""",
}
_GENERATORS = {
    "np.random.default_rng": "{}.random()",
    "np.random.RandomState": "{}.random_sample()",
    "random.Random": "{}.random()",
    "torch.Generator().manual_seed": "torch.rand(1, generator={}).item()",
}
# How another file touches the attribute, and whether it then cannot be a property.
_ELSEWHERE = {
    "nothing": ("", False),
    "subclass": ("class Sub(Data):\n    def __init__(self, seed):\n        super().__init__(seed)\n", False),
    "subclass stores": (
        "class Sub(Data):\n    def __init__(self, seed):\n        super().__init__(seed)\n        self.NAME = None\n",
        True,
    ),
    "subclass of an alias stores": (
        "Base = Data\nclass Sub(Base):\n    def reset(self):\n        self.NAME = None\n",
        True,
    ),
    "subclass has one in its body": ("class Sub(Data):\n    NAME = None\n", True),
    "mixin stores": (
        "class Mixin:\n    def reset(self):\n        self.NAME = None\nclass Sub(Mixin, Data):\n    pass\n",
        True,
    ),
    "script stores": ("def change():\n    data = Data(1)\n    data.NAME = None\n", True),
    "script deletes": ("def change(data):\n    del data.NAME\n", True),
    "set by name": ("def change(data):\n    setattr(data, 'NAME', None)\n", True),
    "set in the dict": ("def change():\n    vars(Data(1))['NAME'] = None\n", True),
    "unrelated class stores": (
        "class Other:\n    def __init__(self):\n        self.NAME = None\n        setattr(self, 'NAME', 1)\n",
        False,
    ),
    "unrelated object": (
        "class Other:\n    pass\ndef change():\n    other = Other()\n    other.NAME = 1\n    return other\n",
        False,
    ),
}


@dataclass(frozen=True)
class _Program:
    """One program, and whether its repair must be refused."""

    files: dict[str, str]
    data: str
    name: str
    draw: str
    remedy: object
    refused: bool
    must_pickle: bool


@st.composite
def _programs(draw: st.DrawFn, *, handles: bool) -> _Program:
    name = draw(st.sampled_from(["rng", "_rng", "source"]))
    base = draw(st.sampled_from(sorted(_BASES)))
    own = draw(st.sampled_from(sorted(_OWN)))
    how, stores = _ELSEWHERE[draw(st.sampled_from(sorted(_ELSEWHERE)))]
    seed = draw(st.sampled_from(["seed", "7", "self.seed", ""]))
    star = draw(st.booleans())
    apart = draw(st.booleans())
    if handles:
        maker, used, value = "open", "{}.fileno()", "open(__file__, 'rb')"
        if draw(st.booleans()):
            value = "open(path, 'rb')"
    else:
        maker = draw(st.sampled_from(sorted(_GENERATORS)))
        used, value = _GENERATORS[maker], f"{maker}({seed})"
        if maker.startswith("torch") and not seed:
            value = f"{maker}(5)"
    made = f"self.{name} = ⟦{value}⟧"
    if apart and "path" not in value and value.find("(seed)") < 0:
        body, method = "self._begin()", f"\n    def _begin(self):\n        {made}\n"
    else:
        body, method = made, ""
    text = (
        "import random\nimport threading\nimport numpy as np\nimport torch\n"
        + ("from base import *\n" if star else "from base import Base\n")
        + "\n\nclass Data(Base):\n"
        + "    def __init__(self, seed, path=__file__):\n        super().__init__()\n"
        + f"        self.seed = seed\n        {body}\n        self.first = self.draw()\n"
        + method
        + _OWN[own]
        + f"\n    def draw(self):\n        return {used.format(f'self.{name}')}\n"
    )
    files = {
        "base.py": "import threading\nfrom torch.utils.data import Dataset\n\n\nclass Base(Dataset):\n"
        f"    def __init__(self):\n        self.lock = threading.Lock()\n{_BASES[base]}",
        "other.py": ("from module import *\n" if star else "from module import Data\n")
        + how.replace("NAME", name),
    }
    left_out = handles or maker.startswith("torch")
    refused = stores or (left_out and base == "list")
    can_pickle = own != "none" or base == "state" or (base == "built" and sys.version_info >= (3, 11))
    remedy = handle_per_process if handles else generator_per_worker
    return _Program(files, text, name, used, remedy, refused, can_pickle and base != "list")


def _repaired(program: _Program) -> str:
    source = opened(program.data.replace("⟦", "").replace("⟧", ""), program.files)
    edits = Edits(source)
    remedy = program.remedy
    assert isinstance(remedy, types.ModuleType)
    finding = finding_at(program.data, remedy.__name__.rpartition(".")[2], {})
    remedy.repair(source, finding, edits)
    return source.encode(edits.apply()).decode()


@contextmanager
def _loaded(program: _Program, text: str) -> Iterator[types.ModuleType]:
    """The program's modules, importable for as long as it lasts."""
    files = {"base": program.files["base.py"], "module": text, "other": program.files["other.py"]}
    with mock.patch.dict(sys.modules):
        for name, code in files.items():
            module = types.ModuleType(name)
            module.__file__ = __file__
            sys.modules[name] = module
            exec(compile(code, f"{name}.py", "exec", dont_inherit=True), module.__dict__)
        yield sys.modules["module"]


@contextmanager
def _in_worker(number: int) -> Iterator[None]:
    """As in a worker process: another process id, and a seed of torch's own."""
    pid, seed = os.getpid() + number, 1000 + number
    worker = types.SimpleNamespace(id=number, seed=seed)
    with (
        mock.patch("os.getpid", lambda: pid),
        mock.patch("torch.initial_seed", lambda: seed),
        mock.patch("torch.utils.data.get_worker_info", lambda: worker),
    ):
        yield


_FAST = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
)


@_FAST
@given(_programs(handles=False))
def test_a_generator_is_main_s_own_in_main_and_each_worker_s_own_in_workers(program: _Program) -> None:
    before = program.data.replace("⟦", "").replace("⟧", "")
    if program.refused:
        with pytest.raises(CannotRepair):
            _repaired(program)
        return
    after = _repaired(program)
    if "torch.Generator" not in before:
        assert after.count("def __getstate__") == before.count("def __getstate__")
    seen = []
    for text in (before, after):
        with _loaded(program, text) as module:
            data = module.Data(3)
            numbers = [data.first, data.draw()]
            if program.must_pickle:
                same, sent = copy.copy(data), pickle.loads(pickle.dumps(data))
                with mock.patch("os.getpid", lambda: 1):  # as where main is started anew, and reads its file
                    numbers += [copy.deepcopy(data).draw(), pickle.loads(pickle.dumps(data)).draw()]
                assert sent.lock is None or sent.lock.acquire(blocking=False)
                numbers += [same.draw(), data.draw(), sent.draw(), sent.draw()]
            seen.append(numbers)
            if text is after:
                forked = [data, sent] if program.must_pickle else [data]
                drawn = []
                for number, each in enumerate([*forked, *forked], 1):
                    with _in_worker(number):
                        drawn += [each.draw(), each.draw()]
                assert len(set(drawn)) == len(drawn) and not set(drawn) & set(numbers)
    assert "()⟧" in program.data or seen[0] == seen[1]  # what nobody seeds differs from run to run


@_FAST
@given(_programs(handles=True))
def test_a_handle_is_opened_in_each_process_and_sent_to_none(program: _Program) -> None:
    if program.refused:
        with pytest.raises(CannotRepair):
            _repaired(program)
        return
    after = _repaired(program)
    with _loaded(program, after) as module:
        data = module.Data(3)
        main = getattr(data, program.name)
        assert getattr(data, program.name) is main
        assert data.first == data.draw() == main.fileno()
        with _in_worker(1):
            worker = getattr(data, program.name)
            assert worker is not main and getattr(data, program.name) is worker
        if program.must_pickle:
            sent = pickle.loads(pickle.dumps(data))
            assert sent.lock is None or sent.lock.acquire(blocking=False)
            assert Path(getattr(sent, program.name).name) == Path(main.name)
            getattr(sent, program.name).close()
        main.close()
        worker.close()


def test_two_streams_of_one_kind_stay_two() -> None:
    text = (
        "import numpy as np\nfrom torch.utils.data import Dataset\n\n\nclass Data(Dataset):\n"
        "    def __init__(self):\n        self.one = {}\n        self.two = {}\n"
    )
    for one, two in (("RandomState(1)", "RandomState(2)"), ("default_rng()", "default_rng()")):
        code = text.format(f"⟦np.random.{one}⟧", f"np.random.{two}")
        code = _once_more(code)
        second = code.replace(f"self.two = np.random.{two}", f"self.two = ⟦np.random.{two}⟧")
        names: dict[str, object] = {"__name__": "data"}
        exec(_once_more(second), names)
        data = names["Data"]()  # type: ignore[operator]
        with _in_worker(1):
            assert data.one.uniform() != data.two.uniform()


def _once_more(marked: str) -> str:
    source = opened(marked.replace("⟦", "").replace("⟧", ""), {})
    edits = Edits(source)
    generator_per_worker.repair(source, finding_at(marked, "generator_per_worker", {}), edits)
    return source.encode(edits.apply()).decode()


def test_asking_torch_for_its_seed_draws_nothing() -> None:
    state = torch.get_rng_state()
    torch.initial_seed()
    assert torch.equal(state, torch.get_rng_state())
