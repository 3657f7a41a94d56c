"""The panel: well-formed, whole in itself, and drawn as the reference implementation was measured to run."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

from cfgexplain.inspect import inspect
from cfgexplain.lang import catalogue
from cfgexplain.render.svg import panel
from cfgexplain.render.svg_look import DARK, LIGHT, Theme, sheet
from cfgexplain.render.svg_paper import broken, esc, fit, measure, tails
from cfgexplain.sources import open_target
from cfgexplain.sources.options import Options
from cli import run
from corpus import cases, checkpoint
from models import LLAMA_2_7B, MIXTRAL, report_of, sound, sound_report

if TYPE_CHECKING:
    from cfgexplain.report import Report

T = catalogue("en")
EXAMPLES = sorted(
    f.name.removesuffix(".json")
    for f in resources.files("cfgexplain.examples").iterdir()
    if f.name.endswith(".json")
)
HOSTILE = '<script>alert(1)</script>"\'&]]>--><img src=//x.example onerror=alert(2)>\x1b[31m\u202e'


@cache
def example(name: str) -> Report:
    return inspect(open_target(f"example:{name}", Options()))


def tree(report: Report, **how: Any) -> ET.Element:
    return ET.fromstring(panel(report, T, **how))  # noqa: S314 - our own output is what is under test


def parts(root: ET.Element, name: str) -> list[ET.Element]:
    return [e for e in root.iter() if (e.get("data-part") or "") == name]


def texts(root: ET.Element) -> list[str]:
    return [e.text or e[-1].tail or "" if len(e) else e.text or "" for e in root.iter() if e.tag.endswith("}text")]


def placements(root: ET.Element) -> set[str]:
    """Where norms stand in the drawing, branch by branch."""
    found: set[str] = set()
    for block in parts(root, "block"):
        for branch in parts(block, "branch"):
            norms = {e.get("data-part") for e in branch.iter()}
            before, after, on = (f"norm-{p}" in norms for p in ("before", "after", "on-stream"))
            place = "sandwich" if before and after else "output" if after else "pre" if before else ""
            found.add("parallel" if block.get("data-parallel") == "yes" else "post" if on else place)
    return found - {""}


@pytest.mark.parametrize("name", sorted(cases()))
def test_drawn_as_measured(name: str) -> None:
    row = cases()[name]
    root = tree(inspect(checkpoint(row["config"], row["header"], name)))
    want = row["expect"]
    if want["norm"]["placement"] == "mixed":
        assert placements(root) == set()
        assert parts(root, "loose")
    elif want["norm"]["placement"] is not None:
        assert placements(root) == {want["norm"]["placement"]}
    kinds = {e.get("data-value") for e in root.iter() if (e.get("data-part") or "").startswith("norm-")}
    if want["norm"]["type"] is not None and kinds:
        assert kinds == {want["norm"]["type"]}
    if want["final_norm"]["expected"] is not None:
        assert [e.get("data-value") for e in parts(root, "final-norm")] == ["yes"] * want["final_norm"]["expected"]
    if want["ffn"]["gated"] in (True, False):
        gated = {e.get("data-gated") for e in parts(root, "ffn")}
        assert gated == {"yes" if want["ffn"]["gated"] else "no"}
    if "experts" in want["ffn"]["params"]:
        moe = any(e.get("data-kind") == "moe" for e in parts(root, "ffn"))
        assert moe == bool(want["ffn"]["params"]["experts"])


def outside(root: ET.Element) -> list[str]:
    """Boxes that reach over the edge."""
    width, height = map(float, (root.get("viewBox") or "").split()[2:])
    found: list[str] = []
    for e in root.iter():
        if e.tag.endswith("}rect"):
            x, y, w, h = (float(e.get(k) or 0) for k in ("x", "y", "width", "height"))
            if x < 0 or y < 0 or x + w > width + 0.5 or y + h > height + 0.5:
                found.append(str(e.attrib))
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_leaves_the_canvas(name: str) -> None:
    assert outside(tree(example(name))) == []
    assert outside(tree(example(name), narrow=True)) == []


@pytest.mark.parametrize("name", sorted(cases()))
def test_config_alone_leaves_the_canvas_no_more(name: str) -> None:
    report = inspect(checkpoint(cases()[name]["config"], None, name))
    assert outside(tree(report)) == []
    assert outside(tree(report, narrow=True, alone=False)) == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_call_outs_hold_the_reports_numbers(name: str) -> None:
    report = example(name)
    said = texts(tree(report))
    model = report["model"]
    assert model
    for key in ("hidden_size", "vocab_size", "num_layers", "max_position_embeddings"):
        n = model[key]  # type: ignore[literal-required]
        assert n is None or f"{n:,}" in said, key


def test_has_a_name_and_a_description() -> None:
    root = tree(sound_report(LLAMA_2_7B))
    assert root.get("role") == "img"
    named = {e.get("id"): e.text for e in root if e.tag.endswith(("}title", "}desc"))}
    assert (root.get("aria-labelledby") or "").split() == list(named)
    assert "RMSNorm" in (named["cx-d"] or "")


@pytest.mark.parametrize("name", EXAMPLES)
def test_is_whole_in_itself(name: str) -> None:
    drawing = panel(example(name), T)
    assert not re.search(r"<(script|image|use|foreignObject|a)\b|\bhref=|url\(|@import|\son\w+=", drawing)
    assert len(drawing) < 200_000


def test_hostile_names_stay_text() -> None:
    config = {**LLAMA_2_7B, "hidden_act": HOSTILE, "model_type": HOSTILE, "architectures": [HOSTILE]}
    tensors = {HOSTILE: (3, 3), f"model.layers.0.{HOSTILE}norm.weight": (4096,)}
    drawing = panel(report_of(config, tensors, name=HOSTILE), T)
    root = ET.fromstring(drawing)  # noqa: S314
    assert {e.tag.rpartition("}")[2] for e in root.iter()} <= {
        "svg", "title", "desc", "style", "rect", "text", "path", "circle", "polygon", "g",
    }  # fmt: skip
    assert "\x1b" not in drawing
    assert "\u202e" not in drawing


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"model_type": "nobody-knows"},
        {"model_type": "nobody-knows", "hidden_size": 64},
        {"model_type": "llama", "num_hidden_layers": 0},
    ],
)
def test_unknown_is_drawn_as_unknown(config: dict[str, object]) -> None:
    root = tree(report_of(config))
    assert [e.get("data-value") for e in parts(root, "head")] in (["unknown"], ["own"])
    assert any("unknown" in s for s in texts(root)) or config.get("model_type") == "llama"
    assert tree(report_of(config), narrow=True) is not None


def test_unknown_family_keeps_its_norms_at_no_place() -> None:
    tensors = {n.replace("post_attention_layernorm", "third_norm"): s for n, s in sound(LLAMA_2_7B).items()}
    root = tree(report_of({**LLAMA_2_7B, "model_type": "nobody-knows"}, tensors))
    assert placements(root) == set()
    assert parts(root, "norm-unknown")
    assert parts(root, "loose")


def test_missing_final_norm_says_so() -> None:
    tensors = sound(LLAMA_2_7B)
    del tensors["model.norm.weight"]
    assert "missing from the checkpoint" in texts(tree(report_of(LLAMA_2_7B, tensors)))


def test_embedding_narrower_than_the_stream_is_drawn_so() -> None:
    said = texts(tree(example("opt-350m")))
    assert "50,272 × 512 → 1,024" in said
    assert "1,024 → 512 → 50,272" in said


def test_mixture_has_a_cell_for_each_expert() -> None:
    drawing = panel(sound_report(MIXTRAL), T)
    (ffn,) = parts(ET.fromstring(drawing), "ffn")  # noqa: S314
    cells = [e.get("class") for e in ffn.iter() if (e.get("class") or "").startswith("cell ")]
    assert cells.count("cell ffn-on") == 2
    assert len(cells) == 8


def test_differences_are_marked_where_they_are_drawn() -> None:
    report = sound_report(LLAMA_2_7B)
    plain, marked = panel(report, T), panel(report, T, marks={"norm.eps", "ffn.activation"})
    assert "≠" not in plain
    root = ET.fromstring(marked)  # noqa: S314
    hit = {e.get("data-part") for e in root.iter() if "hit" in (e.get("class") or "").split()}
    assert hit == {"norm-before", "final-norm", "activation", "note", "sub-ffn"}


def _luminance(color: str) -> float:
    def channel(v: int) -> float:
        c = v / 255
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

    r, g, b = (channel(int(color[k : k + 2], 16)) for k in (1, 3, 5))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def _contrast(a: str, b: str) -> float:
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read(theme: Theme) -> None:
    for ground in (theme.paper, theme.card, *theme.fills.values()):
        assert _contrast(theme.ink, ground) >= 4.5
        assert _contrast(theme.soft, ground) >= 4.5
    assert _contrast(theme.paper, theme.hit) >= 4.5
    for line in (*theme.lines.values(), theme.stream, theme.hit):
        assert _contrast(line, theme.card) >= 3


def test_dark_is_for_screens_that_ask_for_it() -> None:
    assert sheet().count("@media screen and (prefers-color-scheme:dark)") == 1


def test_long_text_is_cut_and_a_modules_name_keeps_its_end() -> None:
    assert fit("model.layers.mlp.experts.0.gate_proj", 90, 11, True) == "…gate_proj"
    assert fit("abcdefghij" * 9, 100, 13).endswith("…")
    assert measure(fit("漢" * 90, 100, 13), 13) <= 100
    assert broken("a b", 5, 13) == ["a", "b"]
    assert esc("<&\"'>\x00") == "&lt;&amp;&quot;&#39;&gt;\\x00"


def test_one_target_only() -> None:
    r = run("example:gpt2", "example:olmo-1b", "--format", "svg")
    assert (r.code, r.out) == (2, "")
    assert "one model" in r.err
    assert run("check", "example:gpt2", "--format", "svg").code == 2


def test_a_target_that_cannot_be_read_is_an_error_and_a_drawing_that_says_so() -> None:
    r = run("example:no-such", "--format", "svg")
    assert r.code == 3
    assert "no example" in "".join(texts(ET.fromstring(r.out)))  # noqa: S314


def test_a_mixer_is_opened_up() -> None:
    words = texts(tree(example("jamba-v0.1")))
    assert {"in_proj", "4,096 → 16,384", "A_log", "8,192 × 16", "conv1d", "8,192 × 4", "out_proj"} <= set(words)


def test_latent_attention_shows_its_matrices_and_plain_attention_its_heads() -> None:
    latent, plain = set(texts(tree(example("deepseek-v3")))), set(texts(tree(example("llama-3-8b"))))
    assert {"kv_a_proj_with_mqa", "7,168 → 576", "512 → 32,768"} <= latent
    assert "4,096 → 8 × 128 = 1,024" in plain
    assert not plain & {"q_proj", "k_proj"}


def test_a_projection_of_another_width_than_the_heads_is_shown_as_stored() -> None:
    """Qwen 3.5's query matrix holds a gate as well."""
    words = set(texts(tree(report_of({"model_type": "qwen3_next"}))))
    assert {"q_proj", "2,048 → 8,192"} <= words
    assert "2,048 → 16 × 256 = 4,096" not in words


def test_biases_are_named() -> None:
    assert "bias on k_proj, q_proj, v_proj" in texts(tree(example("qwen2.5-7b")))
    assert "bias on every projection" in texts(tree(example("gpt2")))
    assert "with biases" in texts(tree(example("gpt2")))
    assert not [w for w in texts(tree(example("llama-2-7b"))) if "bias" in w]
    # Those of the image tower are not the language model's.
    assert not [w for w in texts(tree(example("gemma-3-4b"))) if "bias" in w]


def test_one_key_value_head_is_one() -> None:
    words = " ".join(texts(tree(example("falcon-7b"))))
    assert "71 heads × 64, one KV head" in words
    assert "1 KV" not in words


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_line_runs_over_the_edge(name: str) -> None:
    root = tree(example(name))
    width = float(root.get("width") or 0)
    for e in root.iter():
        if not e.tag.endswith("}text") or e.get("text-anchor"):
            continue
        cls = (e.get("class") or "").split()
        size = 22 if "h1" in cls else 19 if "v" in cls else 15 if "h" in cls else 11 if "mono" in cls else 11.5
        line = e.text or (e[-1].tail if len(e) else "") or ""
        assert float(e.get("x") or 0) + measure(line, size, "mono" in cls) <= width, line


def test_names_are_cut_alike() -> None:
    names = ["mlp.experts.0.gate_proj", "mlp.experts.0.up_proj", "mlp.experts.0.down_proj"]
    assert tails(names, [400, 400, 400], 11) == names
    assert tails(names, [400, 400, 100], 11) == ["…gate_proj", "…up_proj", "…down_proj"]
    assert tails(["a.b", ""], [400, 10], 11) == ["a.b", ""]


def test_what_cross_attention_reads_does_not_join_the_stream() -> None:
    """Whisper's audio goes to the encoder, Mllama's images to the cross-attentions; CLIP's towers stay apart."""
    whisper = " ".join(texts(tree(report_of({"model_type": "whisper"}))))
    assert "sound enters through 535.30k" in whisper
    assert "Audio encoder" not in whisper
    for name, joining in (("mllama", False), ("clip", False), ("llava", True)):
        root = tree(report_of({"model_type": name}))
        assert parts(root, "vision")
        ways = {c: [e.get("d") or "" for e in root.iter() if e.get("class") == c] for c in ("wire", "main")}
        stream = int(ways["main"][0].partition(" ")[0][1:])
        # A tower's line ends just right of the stream, where nothing is added.
        assert any(d.rpartition("L")[2].startswith(f"{stream + 8} ") for d in ways["wire"]) == joining, name


def test_a_model_that_shows_no_embedding_has_none_drawn() -> None:
    words = texts(tree(report_of({"model_type": "nobody-knows", "hidden_size": 64, "num_hidden_layers": 2})))
    assert "input" in words
    assert "tokens" not in words
    assert "tokens" in texts(tree(report_of(LLAMA_2_7B)))


def test_a_shared_expert_of_another_width_says_its_own() -> None:
    report = report_of({"model_type": "qwen2_moe"})
    assert "each 1,408 wide, shared 5,632" in texts(tree(report))


def test_the_window_of_some_layers_is_not_that_of_every_layer() -> None:
    words = " ".join(texts(tree(report_of({"model_type": "recurrent_gemma"}))))
    assert "in every layer" not in words
    assert "in every layer" in " ".join(texts(tree(example("mistral-7b"))))


@pytest.mark.parametrize(("family", "told"), [("albert", "12 × dense feed-forward"), ("zamba2", "9 × dense")])
def test_layers_that_use_anothers_weights_are_like_it(family: str, told: str) -> None:
    assert any(x.startswith(told) for x in texts(tree(report_of({"model_type": family}))))


def test_chunks_are_no_window() -> None:
    words = " ".join(texts(tree(report_of({"model_type": "llama4_text"}))))
    assert "chunks of 8,192 in 36 of 48 layers" in words
    assert "window of" not in words


def _bottom(e: ET.Element) -> float:
    return float(e.get("y") or 0) + float(e.get("height") or 0)


def test_the_stream_begins_at_the_embedding_and_is_as_wide_as_it_says() -> None:
    for family in ("whisper", "albert"):
        root = tree(report_of({"model_type": family}))
        starts = [float((e.get("d") or "").partition(" ")[2].partition("V")[0]) for e in root.iter()
                  if e.get("class") == "main"]  # fmt: skip
        assert _bottom(parts(root, "embedding")[0]) in starts, family
    (projection,) = parts(root, "projection")
    words = list(root.iter("{http://www.w3.org/2000/svg}path"))
    lead = max(float((e.get("d") or "").rpartition(" ")[2]) for e in words if (e.get("class") or "") == "lead"
               and "L314 " in (e.get("d") or ""))  # fmt: skip
    assert lead > _bottom(projection)


def test_layers_without_attention_can_be_seen() -> None:
    root = tree(report_of({"model_type": "nemotron_h", "hybrid_override_pattern": "M-M*"}))
    (strip,) = parts(root, "strip")
    assert not [e for e in strip.iter() if e.get("class") == "cell paper" and e.get("width") == "11.00"]
    assert [e for e in strip.iter() if e.get("class") == "cell off" and e.get("width") == "11.00"]


def test_the_word_on_a_wire_does_not_touch_the_activation() -> None:
    root = tree(report_of({"model_type": "llama4_text"}))
    (pill,) = parts(root, "activation")
    (gate,) = (e for e in root.iter() if e.tag.endswith("}text") and e.text == "gate")
    assert float(pill.get("y") or 0) - float(gate.get("y") or 0) >= 10


def test_positions_and_an_encoder_of_one_side_are_marked() -> None:
    bert = tree(report_of({"model_type": "bert"}), marks={"positions.kind"})
    assert "hit" in (parts(bert, "positions")[0].get("class") or "")
    t5 = tree(report_of({"model_type": "t5"}), marks={"layers.encoder"})
    assert "hit" in (parts(t5, "encoder")[0].get("class") or "")


def test_each_card_is_joined_to_its_box() -> None:
    for config in ({"model_type": "falcon", "new_decoder_architecture": True}, {"model_type": "gpt_neox"}):
        root = tree(report_of(config))
        ways = [e.get("d") or "" for e in root.iter() if e.get("class") == "lead"]
        assert sum("684 " in d.rpartition("L")[2] for d in ways) == 2
