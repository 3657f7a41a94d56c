"""The drawing for a terminal says what a model has, and of what is open that it is."""

from __future__ import annotations

import pytest

from cfgexplain.lang import catalogue
from cfgexplain.render.diagram import describe
from cfgexplain.render.svg import panel
from cfgexplain.render.text_diagram import Drawing
from cfgexplain.render.text_layout import Ink
from models import report_of


def drawn(config: dict[str, object]) -> str:
    report = report_of(config)
    d = describe(report)
    assert d is not None
    return "\n".join(Drawing(report, Ink(200, False, True), catalogue("en")).whole(d))


def test_the_embedding_is_drawn_with_the_rows_of_its_table() -> None:
    text = drawn({"model_type": "mllama", "text_config": {"vocab_size": 1000}})
    assert "embedding   1,008 × 4,096" in text
    assert "→ 1,000," in text


def test_a_head_that_is_there_for_certain_is_no_unknown_head() -> None:
    text = drawn({"model_type": "t5", "tie_word_embeddings": False})
    assert "head        512 → 32,128, tied or with its own matrix: unknown" in text
    assert "head: unknown" in drawn({"model_type": "surprise", "hidden_size": 64, "num_hidden_layers": 2})


@pytest.mark.parametrize("family", ["gemma3n_text", "gemma4_text"])
def test_layers_without_keys_of_their_own_are_named(family: str) -> None:
    config = {"model_type": family, "num_hidden_layers": 30, "num_kv_shared_layers": 10}
    assert "layers 20-29 have no keys and values of their own" in drawn(config)
    assert "no keys and values" not in drawn({**config, "num_kv_shared_layers": 0})


def test_rotation_of_layers_of_unknown_kinds_is_unknown() -> None:
    open_ = {"model_type": "exaone4", "sliding_window_pattern": "LLLG", "num_hidden_layers": 8}
    assert "in which layers: unknown" in drawn(open_)
    assert "in which layers: unknown" not in drawn({**open_, "sliding_window_pattern": 4})


def test_an_image_encoder_says_its_patches_and_positions() -> None:
    text = drawn({"model_type": "vit"})
    assert "patches     16 × 16 × 3 → 768" in text
    assert "positions   197 learned" in text
    assert "MHA, 12 heads × 64" in text
    assert "16 × 16 × 3 → 768" in panel(report_of({"model_type": "vit"}), catalogue("en"))
    assert "turns it into vectors: unknown" in drawn({"model_type": "surprise", "hidden_size": 64})


def test_a_matrix_with_a_long_name_has_its_sizes_below() -> None:
    report = report_of({"model_type": "zamba2"})
    d = describe(report)
    assert d is not None
    lines = list(Drawing(report, Ink(80, False, True), catalogue("en")).whole(d))
    assert max(map(len, lines)) <= 80
    assert "2,560 → 2 × 10,240" in "\n".join(lines)
