"""Words of the field, and pages that a beginner may ask for: `cfgexplain key GQA`, `rule`, `--help`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from cfgexplain import commands
from cfgexplain.checks import CHECKS, NAMES
from cfgexplain.explain.key_page import listed, page
from cfgexplain.explain.key_topics import spellings
from cfgexplain.explain.key_words import WORDS, folded, word_of
from cfgexplain.lang import LANGUAGES, catalogue
from cfgexplain.render.text_layout import width_of
from cli import run

if TYPE_CHECKING:
    from collections.abc import Iterable

ASKED = [
    "GQA", "MHA", "MQA", "MLA", "MoE", "SwiGLU", "GeGLU", "GLU", "RoPE", "ALiBi", "YaRN", "RMSNorm", "LayerNorm",
    "logits", "head", "router", "expert", "gate", "residual", "token", "tensor", "header", "checkpoint", "dtype",
    "bias", "gain", "softmax", "pre-norm", "post-norm", "QK-norm", "tied",
]  # fmt: skip


def lines(chunks: Iterable[str]) -> list[str]:
    return "".join(chunks).splitlines()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("word", [*ASKED, "residual stream", "KV cache", "rms_norm", "grouped query attention"])
def test_a_word_of_the_field_is_told(word: str, lang: str) -> None:
    found = word_of(word)
    assert found is not None
    text = catalogue(lang).text(f"word.{found.name}")
    assert any(text in p for p in page(word, lang))


def test_words_name_keys_that_have_a_page() -> None:
    assert {k for w in WORDS for k in w.keys} <= set(spellings())
    names = [n for w in WORDS for n in {folded(x) for x in (*w.also, w.name, w.shown)}]
    assert len(names) == len(set(names)), "a name stands for one word"


def test_keys_go_before_words() -> None:
    told = page("dtype", "en")
    assert told[0] == "dtype"
    assert "--key dtype`" in told[-1]
    assert any(p.startswith("As a word, dtype: The format of a tensor's numbers.") for p in told)


def test_several_words_need_no_quotes() -> None:
    out = run("key", "KV", "cache")
    assert out.code == 0
    assert out.out.startswith("KV cache\n\nThe KV cache: keys and values of all tokens so far")
    assert run("key", "swiglo").err.endswith("Did you mean SwiGLU?\n")


# --- pages of keys ---


def test_no_family_is_named_twice_in_a_row() -> None:
    for line in "\n".join(page("intermediate_size", "en", everything=True)).splitlines():
        names = line.rpartition(": ")[2].split(", and ")[0].split(", ")
        assert len(names) == len(set(names)), line


def test_a_page_shows_the_common_defaults_and_counts_the_rest() -> None:
    short, whole = (lines(commands.key_page("intermediate_size", "en", everything=x)) for x in (False, True))
    assert len(short) < 45 < 100 < len(whole)
    assert re.search(r"\d+ more defaults, in \d+ families \(-v lists them\)", "\n".join(short))
    assert re.search(r"and in \d+ more places or spellings \(-v lists them\)", "\n".join(short))
    assert not any("-v lists" in x for x in whole)
    assert lines([run("key", "intermediate_size", "-v").out]) == whole


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("columns", [50, 80, 100])
def test_pages_and_lists_fit_the_columns(lang: str, columns: int) -> None:
    printed = (
        commands.key_page("rope_theta", lang, columns), commands.key_page("GQA", lang, columns),
        commands.rules("eps-missing", lang, columns), commands.rules(None, lang, columns, columns),
        commands.key_page(None, lang, columns, columns),
    )  # fmt: skip
    for chunks in printed:
        for line in lines(chunks):
            assert width_of(line) <= columns or " " not in line.strip(), line


def test_columns_count_for_pages_but_a_list_keeps_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert max(width_of(x) for x in lines([run("key", "rope_theta").out])) <= 60
    assert max(width_of(x) for x in lines([run("rule", "eps-missing").out])) <= 60
    assert len(lines([run("rule").out])) == len(CHECKS)


def test_a_list_has_the_first_sentence_only() -> None:
    assert not [text for _, text in listed("zh-Hant") if "。" in text]


# --- pages of checks ---


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_rule_says_what_to_do_and_what_its_severity_does(name: str, lang: str) -> None:
    t = catalogue(lang)
    text = "".join(commands.rules(name, lang))
    severity = next(c.severity for c in CHECKS if c.name == name)
    assert text.startswith(f"{name} ({t.text(f'text.severity.{severity}')})")
    assert f"\n\n{t.text('page.rule.todo')}\n  " in text
    assert "--fail-on" in text
    assert not re.search(r"\{\w", "".join(commands.advice(name, t)).replace('{"', "")), "a placeholder is left"


def test_severities_are_in_the_language() -> None:
    t = catalogue("zh-Hant")
    words = {t.text(f"text.severity.{c.severity}") for c in CHECKS}
    assert {line[30:].split()[0] for line in lines(commands.rules(None, "zh-Hant"))} == words


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("final-norm-missing", "missing-final-norm"),
        ("missing-finalnorm", "missing-final-norm"),
        ("mismatch-vocab-size", "vocab-size-mismatch"),
        ("missing_eps", "eps-missing"),
    ],
)
def test_a_check_is_found_by_its_words(given: str, meant: str) -> None:
    assert f"Did you mean {meant}?" in run("rule", given).err
    assert "lists them" in run("rule", "quite-another-thing").err


# --- where to begin ---


def test_a_beginner_is_sent_to_the_tour() -> None:
    assert run("--help").out.partition("Examples:")[2].split()[:2] == ["cfgexplain", "tour"]
    nothing = run()
    assert nothing.code == 2
    assert nothing.err.splitlines() == [
        "cfgexplain: error: no target is given",
        "  Name a model (org/name, a directory, example:llama-2-7b), or begin with `cfgexplain tour`.",
    ]
