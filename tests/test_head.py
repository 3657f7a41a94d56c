"""The output head, as the report says it: a matrix of its own, the embedding's, or none."""

from __future__ import annotations

import pytest

from cfgexplain.inspect import inspect
from corpus import cases, checkpoint


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("llama", "own"),
        ("llama-tie", "tied"),
        ("llama-basemodel", "none"),
        # The bias that stands beside BERT's tied matrix is no matrix.
        ("bert-masked", "tied"),
        ("masked_lm--roberta", "tied"),
        ("gpt2-untied", "own"),
    ],
)
def test_head(name: str, head: str) -> None:
    case = cases()[name]
    model = inspect(checkpoint(case["config"], case["header"]))["model"]
    assert model
    assert model["head"] == head
