"""The page: one file, nothing from outside, all of the report in it, and a browser that agrees."""

from __future__ import annotations

import re
import time
from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

import browser
from cfgexplain.inspect import inspect
from cfgexplain.render import Style
from cfgexplain.render.html import POLICY, render
from cfgexplain.sources import open_target
from cfgexplain.sources.options import Options
from cli import run
from models import LLAMA_2_7B, report_of, sound, sound_report
from test_svg import EXAMPLES, HOSTILE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cfgexplain.report import Report

#: Elements that load, run, send or embed something.
ACTIVE = {"script", "iframe", "object", "embed", "form", "img", "audio", "video", "base", "applet", "frame", "input"}
VOID = {"meta", "link", "br"}


class Reader(HTMLParser):
    """Reads a page, and that every element is closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.stack[-1:] != ["style"]:
            self.words.append(data)


def page(*reports: Report, checking: bool = False) -> str:
    return "".join(render(reports, Style(checking=checking)))


@cache
def example(name: str) -> Report:
    return inspect(open_target(f"example:{name}", Options()))


def hostile() -> Report:
    tensors = {**sound(LLAMA_2_7B), HOSTILE: (3, 3), f"model.layers.0.self_attn.q_proj.{HOSTILE}": (3,)}
    config = {**LLAMA_2_7B, "hidden_act": HOSTILE, "architectures": [HOSTILE], "rms_norm_eps": HOSTILE}
    return report_of(config, tensors, name=HOSTILE, listing=True)


@pytest.mark.parametrize("name", EXAMPLES)
def test_is_sound_and_whole_in_itself(name: str) -> None:
    text = page(example(name))
    read = Reader(text)
    assert read.stack == []
    assert not ACTIVE & {tag for tag, _ in read.tags}
    for tag, attrs in read.tags:
        for key, value in attrs.items():
            assert not key.startswith("on")
            if key in ("href", "src", "srcset", "xlink:href", "action", "data", "poster"):
                assert (value or "").startswith(("#", "data:")), (tag, key, value)
    assert not re.search(r"url\(|@import", text)
    assert text.startswith("<!DOCTYPE html>")
    assert ("meta", {"http-equiv": "Content-Security-Policy", "content": POLICY}) in read.tags


@pytest.mark.parametrize("name", EXAMPLES)
def test_says_all_that_the_report_says(name: str) -> None:
    report = example(name)
    read = Reader(page(report))
    said = "".join(read.words)
    folds = sum(tag == "details" for tag, _ in read.tags)
    assert report["explanations"]
    assert folds >= len(report["explanations"])
    for e in report["explanations"]:
        assert e["title"] in said
        assert all(p.removeprefix("- ") in said for p in e["text"].split("\n"))
        assert all(line.split(" = ")[-1] in said for line in (e["formula"] or "").split("\n"))
        assert all(ref in said for ref in e["references"])
    for f in report["findings"] or []:
        assert f["message"] in said
    roles = (report["params"]["by_role"] if report["params"] else None) or {}
    assert all(f"{n:,}" in read.words for n in roles.values() if n)


def test_ids_are_unique_with_several_models() -> None:
    read = Reader(page(example("gpt2"), example("olmo-1b"), example("gpt2")))
    ids = [a["id"] for _, a in read.tags if "id" in a]
    assert len(ids) == len(set(ids))
    links = {a["href"] for tag, a in read.tags if tag == "a"}
    assert {f"#m{k}" for k in range(3)} <= links
    assert {h[1:] for h in links if h} <= set(ids)


def test_hostile_names_stay_text() -> None:
    text = page(hostile())
    read = Reader(text)
    assert not ACTIVE & {tag for tag, _ in read.tags}
    assert "alert(1)" in "".join(read.words)
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize("config", [{}, {"model_type": "nobody-knows"}, {**LLAMA_2_7B, "model_type": "nobody-knows"}])
def test_unknown_family_still_has_a_page(config: dict[str, object]) -> None:
    said = "".join(Reader(page(report_of(config))).words)
    assert "unknown" in said
    assert "No table" in said or "unknown-family" in said


def test_check_has_findings_and_no_explanations() -> None:
    read = Reader(page(sound_report(LLAMA_2_7B), checking=True))
    assert not any(tag == "details" for tag, _ in read.tags)


def test_target_that_cannot_be_read_has_its_place() -> None:
    r = run("example:gpt2", "example:no-such", "--format", "html")
    assert r.code == 3
    read = Reader(r.out)
    assert "there is no example 'no-such'" in "".join(read.words)
    assert sum(tag == "article" for tag, _ in read.tags) == 2


def test_largest_example_is_small_and_quick() -> None:
    def tensors(r: Report) -> int:
        return sum(f["tensors"] or 0 for f in r["target"]["weight_files"])

    report = max(map(example, EXAMPLES), key=tensors)
    start = time.perf_counter()
    text = page(report)
    assert time.perf_counter() - start < 1
    assert len(text.encode()) < 1_500_000


def test_two_models_side_by_side() -> None:
    r = run("diff", "example:llama-2-7b", "example:llama-3-8b", "--format", "html")
    assert r.code == 0
    read = Reader(r.out)
    assert read.stack == []
    assert sum(tag == "svg" for tag, _ in read.tags) == 2
    assert "≠" in read.words
    ids = [a["id"] for _, a in read.tags if "id" in a]
    assert len(ids) == len(set(ids))


def test_nothing_is_marked_between_a_model_and_itself() -> None:
    r = run("diff", "example:gpt2", "example:gpt2", "--format", "html")
    assert "≠" not in r.out


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    if browser.found() is None:
        pytest.skip("no Chromium is installed")
    running = browser.Browser(tmp_path_factory.mktemp("profile"))
    yield running
    running.close()


def _saved(tmp_path: Path, text: str) -> str:
    file = tmp_path / "model.html"
    file.write_text(text, encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("width", "shown"), [(1280, "full"), (390, "thin"), (320, "thin")])
def test_browser_shows_it(chromium: browser.Browser, tmp_path: Path, width: int, shown: str, dark: bool) -> None:
    url = _saved(tmp_path, page(example("jamba-v0.1"), example("qwen3-30b-a3b")))
    seen = chromium.open(url, width, dark)
    assert seen.console == []
    assert [u for u in seen.requests if not u.startswith(("file:", "data:"))] == []
    assert len([u for u in seen.requests if u.startswith("file:")]) == 1
    assert chromium.value("document.documentElement.scrollWidth") <= width
    other = "thin" if shown == "full" else "full"
    assert chromium.value(f"document.querySelector('.{shown} svg').getBoundingClientRect().width") > 250
    assert chromium.value(f"document.querySelector('.{other} svg').getBoundingClientRect().width") == 0
    paper = chromium.value("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(18, 22, 29)" if dark else "rgb(255, 255, 255)")


@pytest.mark.parametrize("name", EXAMPLES)
def test_browser_keeps_text_inside_its_boxes(chromium: browser.Browser, tmp_path: Path, name: str) -> None:
    chromium.open(_saved(tmp_path, page(example(name))), 1280)
    outside = chromium.value(
        "[...document.querySelectorAll('.full svg')].flatMap(s => { const w = s.viewBox.baseVal.width;"
        "return [...s.querySelectorAll('text')].filter(t => { const b = t.getBBox();"
        "return b.x < 0 || b.x + b.width > w }).map(t => t.textContent) })"
    )
    assert outside == []


def test_browser_takes_hostile_names_for_text(chromium: browser.Browser, tmp_path: Path) -> None:
    seen = chromium.open(_saved(tmp_path, page(hostile())), 390)
    assert seen.console == []
    assert [u for u in seen.requests if not u.startswith(("file:", "data:"))] == []
    assert chromium.value("document.querySelectorAll('script, img').length") == 0
    assert "alert(1)" in chromium.value("document.querySelector('h1').textContent")
    assert chromium.value("document.documentElement.scrollWidth") <= 390


def test_browser_shows_a_pair_at_both_widths(chromium: browser.Browser, tmp_path: Path) -> None:
    r = run("diff", "example:gemma-2-9b", "example:olmo-2-7b", "--format", "html")
    url = _saved(tmp_path, r.out)
    for width, abreast in ((1200, True), (390, False)):
        seen = chromium.open(url, width)
        assert seen.console == []
        assert chromium.value("document.documentElement.scrollWidth") <= width
        tops = chromium.value("[...document.querySelectorAll('svg.cx')].map(s => s.getBoundingClientRect().top)")
        assert (abs(tops[0] - tops[1]) < 80) == abreast


def test_browser_shows_the_panel_alone(chromium: browser.Browser, tmp_path: Path) -> None:
    r = run("example:bert-base", "--format", "svg", "-o", str(tmp_path / "model.svg"))
    assert r.code == 0
    seen = chromium.open((tmp_path / "model.svg").as_uri(), 1280)
    assert seen.console == []
    assert chromium.value("document.documentElement.getAttribute('role')") == "img"


def test_labels_and_lists_are_in_the_language() -> None:
    page = "".join(render([example("deepseek-v3")], Style(lang="zh-Hant")))
    text = " ".join(Reader(page).words)
    assert "儲存格式：F8_E4M3 680.57B、BF16 3.92B、F32 " in text
    assert "* MTP：預測更後面的 token 的層，不算進總參數量" in text
    assert "各層的 norm" in text
    assert "block-norm" not in text
    assert "第 0 層：" in text
    assert text.count("張量名稱") == 1
    assert text.count("張量數") == 1


def test_ways_to_a_width_have_names() -> None:
    text = " ".join(Reader("".join(render([example("llama-2-7b")], Style()))).words)
    assert "Llama's rule: 2/3 of 4 × d, up to a multiple of 256" in text
    assert "llama_rule" not in text
    assert "meta(" not in text


def test_points_of_an_explanation_are_a_list() -> None:
    from cfgexplain.render.html_parts import paragraphs

    assert paragraphs("a <b>\n- c\n- d\ne") == (
        "<p>a &lt;b&gt;</p><ul class=said><li>c</li><li>d</li></ul><p>e</p>"
    )


def test_memory_and_quantization_stand_on_the_page() -> None:
    said = "".join(Reader(page(example("deepseek-v3"))).words)
    assert "exactly 688,574,839,360 bytes" in said
    assert "fp8" in said
    assert "Quantization" in said
    plain = "".join(Reader(page(example("bert-base"))).words)
    assert "Memory" in plain
    assert "Quantization" not in plain
