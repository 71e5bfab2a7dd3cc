"""What real datasets give for an item: None."""

from __future__ import annotations

from pathlib import Path

import pytest

from .item_programs import check


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                if attempt == self.retries - 1:
                    raise
                time.sleep(1)
""",
            id="raises in the last attempt",
        ),
        pytest.param(
            """
        for attempt in range(1, self.retries + 1):
            try:
                return load(self.paths[index])
            except Exception as error:
                if attempt == self.retries:
                    raise RuntimeError("no") from error
""",
            id="raises another error in the last attempt",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                if attempt < self.retries - 1:
                    time.sleep(1)
                else:
                    raise
""",
            id="raises in the other branch",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                if attempt < self.retries - 1:
                    continue
                raise
""",
            id="goes on until the last attempt",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                image = load(self.paths[index])
            except OSError:
                index = random.randrange(len(self))
                continue
            return image
        else:
            raise RuntimeError("nothing can be read")
""",
            id="the loop returns, and raises when all attempts are over",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                image = load(self.paths[index])
            except OSError:
                image = blank()
            return image
""",
            id="the loop returns in its first round",
        ),
        pytest.param(
            """
        attempt = 0
        while attempt < self.retries:
            try:
                return load(self.paths[index])
            except OSError:
                attempt += 1
                if attempt == self.retries:
                    raise
""",
            id="counts in a while loop",
        ),
        pytest.param(
            """
        tries = 0
        while True:
            try:
                return load(self.paths[index])
            except OSError:
                tries += 1
                if tries >= self.retries:
                    raise
""",
            id="an endless loop",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            if attempt == self.retries - 1:
                raise RuntimeError(self.paths[index])
            try:
                return load(self.paths[index])
            except OSError:
                time.sleep(1)
""",
            id="gives up before the last attempt",
        ),
        pytest.param(
            """
        for _ in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                index = random.randrange(3)
        else:
            raise RuntimeError("no")
""",
            id="raises after the loop",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                if attempt == self.retries - 1:
                    die("no")
""",
            id="ends the program in the last attempt",
        ),
        pytest.param(
            """
        try:
            return load(self.paths[index])
        except OSError:
            die("missing")
""",
            id="a helper ends the program",
        ),
        pytest.param(
            """
        try:
            return load(self.paths[index])
        except OSError as error:
            self._fail(error)
""",
            id="a method raises",
        ),
        pytest.param(
            """
        try:
            return load(self.paths[index])
        except OSError:
            os._exit(1)
""",
            id="the process ends",
        ),
    ],
)
def test_attempts_that_raise_in_the_end_give_no_none(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
def die(message):
    print(message)
    sys.exit(1)


class Data(Base):
    def _fail(self, error):
        raise RuntimeError("bad") from error

    def __getitem__(self, index):
{body}
"""
    check(program, "DL502", tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                time.sleep(1)
""",
            id="attempts run out",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            path = self.paths[index]
            try:
                image = load(path)
            except OSError as error:
                tell(error)
                continue
            if image.mode == "L":
                image = image.convert("RGB")
            return image, path
""",
            id="attempts run out, and the loop returns",
        ),
        pytest.param(
            """
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                if attempt == self.retries - 1:
                    print("giving up")
""",
            id="the last attempt only prints",
        ),
        pytest.param(
            """
        try:
            return load(self.paths[index])
        except OSError:
            tell("missing")
""",
            id="a helper that comes back",
        ),
        pytest.param(
            """
        if self.cached is not None:
            return self.cached[index]
        for attempt in range(self.retries):
            try:
                return load(self.paths[index])
            except OSError:
                time.sleep(1)
""",
            id="attempts run out, after another way to return",
        ),
        pytest.param(
            """
        if index < 0:
            raise IndexError(index)
        elif self.cached is not None:
            return self.cached[index]
        try:
            return load(self.paths[index])
        except OSError:
            tell("missing")
""",
            id="an error that is caught, after other ends",
        ),
    ],
)
def test_attempts_that_run_out_give_none(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"""
def tell(message):
    print(message)
    if message == "stop":
        sys.exit(1)


class Data(Base):
    def __getitem__(self, index):  # here
{body}
"""
    check(program, "DL502", tmp_path, monkeypatch)


_READERS = """
def load(path):
    try:
        return read(path)
    except OSError:
        return None


def load_or_tell(path):
    try:
        return read(path)
    except OSError as error:
        print(error)


def load_long(path):
    signal = read(path)
    if len(signal) < 10:
        return
    return signal


def load_strictly(path, strict=True):
    try:
        return read(path)
    except OSError:
        if strict:
            raise
        return None


class Reader:
    def read(self, path):
        return load(path)


class Data(Base):
    reader = Reader()

    def __init__(self, paths, labels=None):
        super().__init__(paths)
        self.labels = labels

    def _one(self, index):
        try:
            return read(self.paths[index])
        except OSError:
            return None

    def _label(self, index):
        if self.labels is None:
            return None
        return self.labels[index]

    def _bounded(self, index):
        if index >= len(self.paths):
            return None
        return read(self.paths[index])

"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("        return load(self.paths[index])  # here", id="a helper's None"),
        pytest.param(
            "        return load_or_tell(self.paths[index])  # here", id="a helper falls off its end"
        ),
        pytest.param("        return load_long(self.paths[index])  # here", id="a helper's test"),
        pytest.param("        return load_strictly(self.paths[index], False)  # here", id="a helper told so"),
        pytest.param("        return self.reader.read(self.paths[index])  # here", id="an object's helper"),
        pytest.param("        return self._one(index)  # here", id="a method"),
        pytest.param("        return self._one(index), index  # here", id="a None in a tuple"),
        pytest.param("        return {'signal': self._one(index)}  # here", id="a None in a dict"),
        pytest.param(
            """
        signal = load(self.paths[index])
        return signal  # here
""",
            id="a variable",
        ),
        pytest.param(
            """
        signal = read(self.paths[index])
        return signal if len(signal) > 10 else None  # here
""",
            id="a conditional expression",
        ),
        pytest.param(
            """
        signal = read(self.paths[index])
        if len(signal) < 10:
            return None, None  # here
        return signal, index
""",
            id="a tuple of None",
        ),
        pytest.param(
            """
        image = None
        try:
            image = read(self.paths[index])
            image = image.convert("RGB")
        except OSError as error:
            print(error)
        return image  # here
""",
            id="None until it is read",
        ),
    ],
)
def test_none_through_helpers_and_variables(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"{_READERS}    def __getitem__(self, index):\n{body}"
    check(program, "DL502", tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "body",
    [
        """
        signal = read(self.paths[index])
        if len(signal) > 10:
            return signal
""",
        """
        signal = load(self.paths[index])
        if signal is None:
            print("missing")
        else:
            return signal
""",
        """
        if os.path.exists(self.paths[index]):
            return read(self.paths[index])
""",
    ],
)
def test_a_last_test_of_the_item_gives_none(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"{_READERS}    def __getitem__(self, index):  # here\n{body}"
    check(program, "DL502", tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
        signal = load(self.paths[index])
        if signal is None:
            return [0]
        return signal
""",
            id="replaced",
        ),
        pytest.param(
            """
        signal = load(self.paths[index])
        if not valid(signal):
            signal = [0]
        return signal
""",
            id="judged by a function that nobody knows",
        ),
        pytest.param("        return load(self.paths[index]) or [0]", id="a default"),
        pytest.param(
            """
        signal = load(self.paths[index])
        assert signal is not None
        return signal
""",
            id="asserted",
        ),
        pytest.param(
            """
        signal = None
        while signal is None:
            signal = load(self.paths[index])
            index += 1
        return signal
""",
            id="another item",
        ),
        pytest.param(
            """
        signal = load(self.paths[index])
        return signal * 2
""",
            id="an error of its own",
        ),
        pytest.param("        return load_strictly(self.paths[index])", id="a helper that raises"),
        pytest.param("        return read(self.paths[index]), self._label(index)", id="a mode"),
        pytest.param(
            "        return None if self.labels is None else self.labels[index]", id="a conditional mode"
        ),
        pytest.param("        return self._bounded(index)", id="bounds"),
        pytest.param(
            """
        label = None
        if self.labels is not None:
            label = self.labels[index]
        return read(self.paths[index]), label
""",
            id="None by a mode",
        ),
        pytest.param(
            """
        image = None
        try:
            image = read(self.paths[index])
        except OSError as error:
            print(error)
        if image is None:
            image = [0]
        return image
""",
            id="None until it is replaced",
        ),
        pytest.param(
            """
        image = None
        try:
            image = read(self.paths[index])
        except OSError as error:
            raise RuntimeError(index) from error
        return image
""",
            id="None until an error",
        ),
        pytest.param(
            """
        kind = self.labels[index]
        if kind == "image":
            return 1
        if kind == "text":
            return 2
""",
            id="kinds",
        ),
        pytest.param(
            """
        kind = self.labels[index]
        if kind > 2:
            return 1
        elif kind <= 2:
            return 2
""",
            id="all cases",
        ),
        pytest.param(
            """
        split = self.split
        if split:
            return read(self.paths[index])
""",
            id="a split",
        ),
        pytest.param(
            """
        signal = read(self.paths[index])
        if len(signal) > 10:
            return signal
        else:
            raise ValueError(index)
""",
            id="raises otherwise",
        ),
    ],
)
def test_none_that_never_gets_out(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"{_READERS}    def __getitem__(self, index):\n{body}"
    check(program, "DL502", tmp_path, monkeypatch)


def test_a_collate_function_may_filter_helpers_nones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"{_READERS}    def __getitem__(self, index):\n        return self._one(index)"
    loaded = """

def collate(batch):
    return [item for item in batch if item is not None]


for batch in DataLoader(Data([]), batch_size=4, num_workers=2, collate_fn=collate):
    pass
"""
    check(program, "DL502", tmp_path, monkeypatch, loaded)


_RAISERS = """
from six import raise_from, reraise


def keep_trying(method):
    def inner(self, index):
        item = method(self, index)
        while item is None:
            item = method(self, random.randrange(len(self)))
        return item

    return inner


class Data(Base):
    def __init__(self, paths, test=False):
        super().__init__(paths)
        self.test = test

    def fail(self, index):
        raise RuntimeError(index)

"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
    def __getitem__(self, index):
        if isinstance(index, int):
            return load(self.paths[index])
""",
            id="a test of the kind of number",
        ),
        pytest.param(
            """
    def __getitem__(self, index):
        if isinstance(index, int):
            return load(self.paths[index])
        if isinstance(index, slice):
            return [self[i] for i in range(9)]
""",
            id="numbers and slices",
        ),
        pytest.param(
            """
    def __getitem__(self, index):
        start = int(index) * 16
        if start < len(self.paths):
            return self.paths[start : start + 16]
""",
            id="a batch past the end",
        ),
        pytest.param(
            """
    def __getitem__(self, index):
        test = self.test
        if not test:
            return load(self.paths[index])
""",
            id="a mode in a variable",
        ),
        pytest.param(
            """
    def __getitem__(self, index):
        path = self.paths[index]
        if isinstance(path, str):  # a test of the item
            return load(path)
""".replace("index):", "index):  # here", 1),
            id="a test of the kind of item",
        ),
        pytest.param(
            """
    def __getitem__(self, index):  # here
        start = self.starts[index]
        if start < len(self.paths):
            return self.paths[start]
""",
            id="an item that is compared",
        ),
        *(
            pytest.param(
                f"""
    def __getitem__(self, index):
        try:
            return load(self.paths[index])
        except OSError as error:{"  # here" if found else ""}
            {handled}
""",
                id=handled,
            )
            for handled, found in [
                ("assert False, index", False),
                ("assert 0", False),
                ("os.abort()", False),
                ("raise_from(ValueError(index), error)", False),
                ("reraise(*sys.exc_info())", False),
                ("self.fail(index)", False),
            ]
        ),
        *(
            pytest.param(
                f"""
    def __getitem__(self, index):
        image = None
        try:
            image = load(self.paths[index])
        except OSError:
            {handled}
        return image, index{"  # here" if found else ""}
""",
                id=f"None before, then {handled}",
            )
            for handled, found in [
                ("sys.exit(1)", False),
                ("assert 0, index", False),
                ("self.fail(index)", False),
                ("print(index)", True),
                ("assert index", True),
            ]
        ),
        *(
            pytest.param(
                f"""
    def __getitem__(self, index):{"  # here" if found else ""}
        loaded, number = False, 0
        {loop}:
            try:
                return load(self.paths[index])
            except OSError:
                {then}
""",
                id=f"{loop}: {then}",
            )
            for loop, then, found in [
                ("for attempt in itertools.count()", "time.sleep(1)", False),
                ("for attempt in itertools.repeat(3)", "time.sleep(1)", False),
                ("for k, attempt in enumerate(itertools.cycle('ab'))", "time.sleep(k)", False),
                ("while not loaded", "time.sleep(1)", False),
                ("for attempt in itertools.repeat(None, 3)", "time.sleep(1)", True),
                ("for attempt in range(3)", "time.sleep(1)", True),
                ("for k, attempt in enumerate(range(3))", "time.sleep(k)", True),
            ]
        ),
        pytest.param(
            """
    def __getitem__(self, index):
        try:
            return load(self.paths[index])
        except KeyboardInterrupt:
            print("stopped by hand")
""",
            id="stopped by hand",
        ),
        pytest.param(
            """
    @keep_trying
    def __getitem__(self, index):
        try:
            return load(self.paths[index])
        except OSError:
            return None
""",
            id="a decorator that tries again",
        ),
        pytest.param(
            """
    @functools.lru_cache(maxsize=9)
    def __getitem__(self, index):
        try:
            return load(self.paths[index])
        except OSError:
            return None  # here
""",
            id="a decorator that keeps the result",
        ),
        pytest.param(
            """
    def __getitem__(self, index):
        if self.cached is not None:
            return self.cached[index]
        for path in self.paths:
            if path.endswith(str(index)):
                return load(path)
""",
            id="another way to return, and a search",
        ),
        pytest.param(
            """
    def __getitem__(self, index):
        if self.cached is not None:
            return self.cached[index]
        if self.mode == "train":
            return load(self.paths[index])
        elif self.mode == "test":
            return load(self.paths[index]), index
""",
            id="another way to return, and modes",
        ),
    ],
)
def test_what_surely_ends_otherwise_than_with_none(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(f"import functools\nimport itertools\n{_RAISERS}{body}", "DL502", tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("head", "loaded", "found"),
    [
        ("", "DataLoader(Data([]))", True),
        ("from ours.data import default_collate", "DataLoader(Data([]), collate_fn=default_collate)", False),
        (
            "from torch.utils.data import default_collate",
            "DataLoader(Data([]), collate_fn=default_collate)",
            True,
        ),
        (
            "from torch.utils.data._utils.collate import default_collate_fn_map\n"
            "default_collate_fn_map[type(None)] = print",
            "DataLoader(Data([]))",
            False,
        ),
        (
            "import torch.utils.data.dataloader\ntorch.utils.data.dataloader.default_collate = print",
            "DataLoader(Data([]))",
            False,
        ),
        (
            "def set_up(loader):\n    loader.collate_fn = print\n    return loader",
            "DataLoader(Data([]))",
            False,
        ),
        (
            "class Own:\n    def __init__(self):\n        self.collate_fn = print",
            "DataLoader(Data([]))",
            True,
        ),
    ],
)
def test_what_the_default_collate_function_is(
    head: str, loaded: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
{head}


class Data(Base):
    def __getitem__(self, index):
        try:
            return load(self.paths[index])
        except OSError:
            return None{"  # here" if found else ""}
"""
    check(program, "DL502", tmp_path, monkeypatch, f"\n\nfor batch in {loaded}:\n    pass\n")


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("data, [i for i in range(len(data)) if data[i] is not None]", False),
        ("data, indices=[i for i in range(len(data)) if data[i]]", False),
        ("data, good", False),
        ("data, [i for i in range(len(data)) if i % 2]", True),
        ("data, [i for i in range(len(data)) if data.paths[i]]", True),
        ("data, [i for i in range(len(data)) if other[i] is not None]", True),
        ("data, numbers", True),
        ("data, range(9)", True),
        ("Subset(data, [i for i in range(9) if data[i]]), range(2)", False),
        ("ConcatDataset([Subset(data, good), data]), range(2)", True),
        ("ConcatDataset([Subset(data, good), Subset(data, good)]), range(2)", False),
        ("data, good), batch_size=None): pass\n    for batch in DataLoader(Subset(data, numbers", True),
        ("data, numbers), batch_size=None): pass\n    for batch in DataLoader(Subset(data, good", False),
    ],
)
def test_a_subset_of_items_that_were_looked_at(
    given: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
from torch.utils.data import ConcatDataset, Subset


class Data(Base):
    def __getitem__(self, index):
        try:
            return load(self.paths[index])
        except OSError:
            return None{"  # here" if found else ""}
"""
    loaded = f"""

def main(other):
    data = Data([])
    good = [i for i in range(len(data)) if data[i] is not None]
    numbers = [i for i in range(len(data)) if i > 3]
    for batch in DataLoader(Subset({given}), batch_size=4, num_workers=2):
        pass
"""
    check(program, "DL502", tmp_path, monkeypatch, loaded)
