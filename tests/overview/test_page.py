"""The page of ``dlint workers``: what is in it, and what a browser makes of it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.doors.doors import dlint, write

from .test_workers_command import _FILES

_BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
_HOSTILE = """import numpy as np
from torch.utils.data import DataLoader, Dataset


class Tagged(Dataset):
    def __getitem__(self, index):
        return np.load("</script><script>document.title = 'run'</script><!--")

    def __len__(self):
        return 1


loader = DataLoader(Tagged(), num_workers=1, timeout=len("</script><b>"))
"""


def _page(folder: Path) -> Path:
    result = dlint(folder, "workers", "--html", "page.html")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"{len(_data(folder / 'page.html')['loaders'])} loaders in page.html.\n"
    return folder / "page.html"


def _data(page: Path) -> dict[str, Any]:
    found = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL
    )
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_the_page_holds_all_it_needs(tmp_path: Path) -> None:
    write(tmp_path, {**_FILES, "tagged.py": _HOSTILE})
    page = _page(tmp_path)
    text = page.read_text()
    data = _data(page)
    assert [loader["path"] for loader in data["loaders"]] == ["tagged.py", "train.py", "train.py"]
    assert "return self.crop(image)" in data["sources"]["photos.py::18"]
    names = [call["name"] for call in data["calls"]]
    assert len(names) == len(set(names))
    assert not re.search(r'(src|href)="?https?:|@import|url\(', text.split('id="data">')[0])
    assert set(data["rules"]) >= {"DL301"}


@pytest.fixture
def browser() -> Iterator[Page]:
    if _BROWSER is None:
        pytest.skip("needs chromium")
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=_BROWSER, args=["--no-sandbox"])
        try:
            page = chromium.new_page()
            page.on("pageerror", lambda error: pytest.fail(str(error)))
            page.on(
                "request",
                lambda request: None if request.url.startswith("file:") else pytest.fail(request.url),
            )
            yield page
        finally:
            chromium.close()


def test_a_reader_searches_folds_and_follows_a_link(tmp_path: Path, browser: Page) -> None:
    write(tmp_path, {**_FILES, "tagged.py": _HOSTILE})
    browser.goto(_page(tmp_path).as_uri())
    expect(browser.locator("#count")).to_have_text("3 loaders")
    expect(browser.locator("h2")).to_contain_text("tagged.py:13")
    expect(browser).to_have_title("tagged.py:13 - dlint workers")  # what the program says is no script

    browser.keyboard.press("/")
    browser.keyboard.type("cv2.resize")
    expect(browser.locator("#count")).to_have_text("1 of 3 loaders")
    expect(browser.locator("h2")).to_contain_text("train.py:19")
    expect(browser.locator("mark").first).to_have_text("cv2.resize")
    browser.keyboard.press("Escape")

    crop = browser.locator("summary", has_text="Crop.__call__")
    expect(crop).to_be_visible()
    browser.keyboard.press("c")
    expect(crop).not_to_be_visible()
    browser.keyboard.press("e")
    expect(crop).to_be_visible()
    browser.locator("details.source > summary").first.click()
    expect(browser.locator("pre").first).to_be_visible()

    link = browser.get_by_role("link", name="DL301")
    expect(link).to_have_attribute("href", re.compile(r"/rules/DL301-sampler-with-shuffle/$"))

    browser.locator("#search").fill("")
    expect(browser.locator("#count")).to_have_text("3 loaders")
    browser.keyboard.press("Escape")
    browser.locator("#list a").nth(2).click()
    expect(browser.locator("h2")).to_contain_text("train.py:23")
    expect(browser.locator("main")).to_contain_text("No workers: everything runs in the main process")
    browser.keyboard.press("k")
    expect(browser.locator("h2")).to_contain_text("train.py:19")
    browser.locator("#search").fill("nothing has this")
    expect(browser.locator("#count")).to_have_text("0 of 3 loaders")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(tmp_path: Path, browser: Page, scheme: str) -> None:
    write(tmp_path, _FILES)
    browser.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    browser.goto(_page(tmp_path).as_uri())
    back = "getComputedStyle(document.body).backgroundColor"
    before = browser.evaluate(back)
    assert (before == "rgb(255, 255, 255)") is (scheme == "light")
    browser.get_by_role("button", name="Dark or light").click()
    assert browser.evaluate(back) != before


def test_a_project_without_loaders(tmp_path: Path, browser: Page) -> None:
    write(tmp_path, {"a.py": "x = 1\n", ".git/HEAD": ""})
    browser.goto(_page(tmp_path).as_uri())
    expect(browser.locator("main")).to_have_text("No DataLoader was found.")
