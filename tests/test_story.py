"""The story around the numbers: told where a model has it, and nowhere else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cfgexplain.explain.story import STORIES
from cfgexplain.inspect import inspect
from cfgexplain.sources import list_examples, open_target
from cfgexplain.sources.options import Options

#: Example → titles of the stories that it has.
TOLD = {
    "bert-base": set(),
    "gpt2": set(),
    "llama-2-7b": set(),
    "llama-3-8b": set(),
    "deepseek-v3": {"Latent attention: what the cache holds", "Routing: how a token finds its experts"},
    "gemma-3-4b": {"Norms on queries and keys", "Windows: how far a token sees"},
    "jamba-v0.1": {"Routing: how a token finds its experts", "A state in place of a cache"},
    "mistral-7b": {"Windows: how far a token sees"},
    "mixtral-8x7b": {"Routing: how a token finds its experts"},
    "olmo-2-7b": {"Norms on queries and keys"},
    "qwen3-30b-a3b": {"Norms on queries and keys", "Routing: how a token finds its experts"},
    "t5-small": set(),
}
TITLES = {
    "Norms on queries and keys", "Latent attention: what the cache holds", "Routing: how a token finds its experts",
    "Windows: how far a token sees", "A state in place of a cache",
}  # fmt: skip


def explained(name: str) -> dict[str, str]:
    r = inspect(open_target(f"example:{name}", Options()))
    return {e["title"]: e["text"] + "\n" + (e["formula"] or "") for e in r["explanations"] or []}


@pytest.mark.parametrize("name", sorted(set(TOLD) & set(list_examples())))
def test_each_story_where_it_belongs(name: str) -> None:
    assert set(explained(name)) & TITLES == TOLD[name]


def test_every_story_is_told_by_some_example() -> None:
    assert set().union(*TOLD.values()) == TITLES
    assert sum(map(len, STORIES.values())) == len(TITLES)


def test_numbers_of_the_stories() -> None:
    gemma, jamba, mistral = (explained(n) for n in ("gemma-3-4b", "jamba-v0.1", "mistral-7b"))
    olmo = explained("olmo-2-7b")
    assert "no product can then exceed 256" in gemma["Norms on queries and keys"]
    windows = gemma["Windows: how far a token sees"]
    assert "look at the last 1,024 tokens, a token itself among them, and no further back: 29 of 34." in windows
    assert "which look up exactly what they still see: 4." in jamba["A state in place of a cache"]
    assert "32 × (4,096 − 1) = 131,040" in mistral["Windows: how far a token sees"]
    assert "4,096 numbers of all 32 heads are normalised together" in olmo["Norms on queries and keys"]


def test_what_no_header_shows_is_told_of_this_model() -> None:
    llama, jamba = explained("llama-2-7b")["What no header shows"], explained("jamba-v0.1")["What no header shows"]
    assert "rms_norm_eps = 1e-05, rope_theta = 10000.0 (not set: default), hidden_act = silu" in llama
    assert "The list is not complete" in llama
    assert "rope" not in jamba
    assert "rotary" not in jamba
    assert "Nor whether gate and up were swapped" in llama
    assert "gate" not in explained("gpt2")["What no header shows"]


def test_a_plain_model_does_not_pay_for_stories_or_keys() -> None:
    code = (
        "import sys; sys.argv = ['cfgexplain', 'example:llama-2-7b']\n"
        "from cfgexplain.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(' '.join(sorted(sys.modules)), file=sys.stderr)\n"
    )
    p = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {m for m in p.stderr.split() if m.startswith("cfgexplain.")}
    assert not {m for m in ours if ".key" in m or ".story" in m or "_later" in m or "_tour" in m or m.endswith(".tour")}
