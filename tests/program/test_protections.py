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
