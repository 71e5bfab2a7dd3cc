"""Protections count where they run."""

from __future__ import annotations

from pathlib import Path

import pytest

from program.sources import agree, cases, check, files_of

TRAIN = """
from torch.utils.data import DataLoader
from data import Photos

def main():
    loader = DataLoader(Photos(), num_workers=2)

if __name__ == "__main__":
    main()
"""
PROTECTED = cases("protected")
NOT_PROTECTED = cases("not_protected")


@pytest.mark.parametrize("case", PROTECTED)
def test_protected(tmp_path: Path, case: str) -> None:
    agree(tmp_path, {"train.py": TRAIN, **files_of(PROTECTED[case])}, "DL101", start_method="fork")


@pytest.mark.parametrize("case", NOT_PROTECTED)
def test_not_protected(tmp_path: Path, case: str) -> None:
    agree(tmp_path, {"train.py": TRAIN, **files_of(NOT_PROTECTED[case])}, "DL101", start_method="fork")


@pytest.mark.parametrize(
    "case",
    ["in main under fork", "in a function that main calls", "in the guard", "in the dataset's constructor"],
)
def test_what_only_the_parent_runs_protects_no_spawned_worker(tmp_path: Path, case: str) -> None:
    files = {"train.py": TRAIN, **files_of(PROTECTED[case])}
    report = check(tmp_path, files, "DL101", "DL404", start_method="spawn")
    assert report.findings
    assert any("spawn" in finding.message for finding in report.findings)


def test_what_runs_at_import_protects_spawned_workers(tmp_path: Path) -> None:
    for case in (
        "at import beside the dataset",
        "in the package of the dataset",
        "at import of the entry script",
    ):
        folder = tmp_path / case.replace(" ", "_")
        folder.mkdir()
        agree(
            folder, {"train.py": TRAIN, **files_of(PROTECTED[case])}, "DL101", "DL404", start_method="spawn"
        )


def test_one_thread_in_a_worker_is_told_for_what_it_does(tmp_path: Path) -> None:
    source = """
        import cv2
        from torch.utils.data import DataLoader, Dataset

        class Photos(Dataset):
            def __getitem__(self, index):
                return cv2.imread(str(index))

        def init(worker_id):
            cv2.setNumThreads(1)

        loader = DataLoader(Photos(), num_workers=2, worker_init_fn=init)
    """
    report = check(tmp_path, {"train.py": source}, "DL101")
    assert 10 in [finding.line for finding in report.findings]
    assert any("setNumThreads(1)" in finding.message for finding in report.findings)


def test_umat_needs_opencl_off(tmp_path: Path) -> None:
    source = """
        import cv2
        from torch.utils.data import DataLoader, Dataset

        cv2.setNumThreads(0)
        OPENCL

        class Photos(Dataset):
            def __getitem__(self, index):
                return cv2.UMat(index)

        loader = DataLoader(Photos(), num_workers=2)
    """
    (finding,) = check(tmp_path, {"train.py": source.replace("OPENCL", "pass")}, "DL101").findings
    assert "UMat" in finding.message
    off = source.replace("OPENCL", "cv2.ocl.setUseOpenCL(False)")
    assert not check(tmp_path, {"train.py": off}, "DL101").findings


_TURNED_ON = {
    "the function is handed on": ("def on(f):\n    cv2.setNumThreads(8)\n    f()\n\nRUNS = [on]", False),
    "Python calls the function": (
        "class Fast:\n    def __enter__(self):\n        cv2.setNumThreads(8)\n"
        "    def __exit__(self, *error):\n        pass",
        False,
    ),
    "under another name": ("set_threads = cv2.setNumThreads", False),
    "nobody says the function's name": ("def benchmark():\n    cv2.setNumThreads(8)", True),
    "a function that is handed on sets what the user says": (
        "import sys\n\ndef on(f):\n    cv2.setNumThreads(int(sys.argv[1]))\n\nRUNS = [on]",
        True,
    ),
}


@pytest.mark.parametrize("case", _TURNED_ON)
def test_a_repair_is_offered_where_nothing_may_turn_the_threads_on_again(tmp_path: Path, case: str) -> None:
    setting, offered = _TURNED_ON[case]
    data = """
        import cv2
        from torch.utils.data import Dataset
        import tools

        class Photos(Dataset):
            def __getitem__(self, index):
                return cv2.imread(str(index))
    """
    files = {"train.py": TRAIN, "data.py": data, "tools.py": f"import cv2\n\n{setting}\n"}
    (finding,) = check(tmp_path, files, "DL101", start_method="fork").findings
    assert (finding.remedy is not None) == offered
    assert offered or "tools.py" in (finding.by_hand or "")
