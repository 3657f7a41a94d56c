"""The output head, as the report says it: a matrix of its own, the embedding's, or none."""

from __future__ import annotations

from typing import Any

import pytest

from cfgexplain.inspect import inspect
from cfgexplain.render import Style
from cfgexplain.render.svg import render as svg
from cfgexplain.render.text import render
from corpus import cases, checkpoint
from models import checkpoint as model


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
        # What LUKE's config ties is the head over entities.
        ("masked_lm--luke", "own"),
    ],
)
def test_head(name: str, head: str) -> None:
    case = cases()[name]
    model = inspect(checkpoint(case["config"], case["header"]))["model"]
    assert model
    assert model["head"] == head


@pytest.mark.parametrize(
    ("config", "head"),
    [
        ({"model_type": "hf_olmo", "architectures": ["OLMoForCausalLM"], "weight_tying": True}, "tied"),
        ({"model_type": "hf_olmo", "architectures": ["OLMoForCausalLM"], "weight_tying": False}, "own"),
        ({"model_type": "molmo", "architectures": ["MolmoForCausalLM"], "weight_tying": True}, "tied"),
        ({"model_type": "perceiver", "architectures": ["PerceiverForMaskedLM"]}, "tied"),
        ({"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]}, "tied"),
        # Releases before 5 untied it, release 5 ties it whatever the config says: the tensors decide.
        ({"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "tie_word_embeddings": False}, None),
    ],
)
def test_head_of_the_config_alone(config: dict[str, Any], head: str | None) -> None:
    model = inspect(checkpoint(config, None))["model"]
    assert model
    assert model["head"] == head


def test_a_head_that_may_be_tied_is_what_the_file_holds() -> None:
    case = cases()["seq2seq--t5"]
    config = {**case["config"], "tie_word_embeddings": False}
    own = {**case["header"], "lm_head.weight": case["header"]["shared.weight"]}
    for header, head in ((case["header"], "tied"), (own, "own")):
        report = inspect(checkpoint(config, header))
        assert report["model"]
        assert report["model"]["head"] == head
        assert not [f for f in report["findings"] if f["severity"] == "error"]
        said = " ".join(e["text"] for e in report["explanations"] if e["key"] == "tie_word_embeddings")
        assert ("matrix of its own" in said) is (head == "own"), said
        assert ("used a second time" in said) is (head == "tied"), said


VIT: dict[str, Any] = {"model_type": "vit", "architectures": ["ViTForImageClassification"]}


@pytest.mark.parametrize(
    ("config", "total"),
    [
        ({**VIT, "id2label": {str(i): str(i) for i in range(1000)}}, 86_567_656),
        (VIT, 85_800_194),
        ({**VIT, "architectures": ["ViTForMaskedImageModeling"]}, 86_390_016),
        # A classifier of images has no tower for text.
        ({"model_type": "clip", "architectures": ["CLIPForImageClassification"], "num_labels": 7}, 87_461_383),
        ({"model_type": "siglip", "architectures": ["SiglipForImageClassification"], "num_labels": 7}, 92_889_607),
        # An encoder alone, and both stacks.
        ({"model_type": "t5gemma", "architectures": ["T5GemmaEncoderModel"], "is_encoder_decoder": False},
         2_614_341_888),
        ({"model_type": "t5gemma", "architectures": ["T5GemmaForTokenClassification"], "is_encoder_decoder": False,
          "num_labels": 7}, 2_614_358_023),
        ({"model_type": "t5gemma", "architectures": ["T5GemmaForSequenceClassification"], "num_labels": 7},
         5_596_869_895),
        # On top of a model that sees.
        ({"model_type": "qwen3_5", "architectures": ["Qwen3_5ForSequenceClassification"], "num_labels": 7},
         8_390_363_888),
        ({"model_type": "t5gemma2", "architectures": ["T5Gemma2ForTokenClassification"], "num_labels": 7},
         4_747_862_535),
        # The answer's first and last token, whatever the labels.
        ({"model_type": "ultrabert", "architectures": ["UltrabertForQuestionAnswering"], "num_labels": 7},
         6_607_351_810),
        # No table says what this class adds.
        ({"model_type": "siglip_vision_model", "architectures": ["SiglipForObjectDetection"]}, None),
    ],
)
def test_a_head_over_labels_counts(config: dict[str, Any], total: int | None) -> None:
    params = inspect(model(config))["params"]
    assert params is not None
    assert params["total"] == total


@pytest.mark.parametrize(
    ("config", "head", "drawn"),
    [
        ({**VIT, "num_labels": 1000}, ("classifier", 768, 1000), "classifier 768 → 1,000"),
        ({"model_type": "bert", "architectures": ["BertForSequenceClassification"]}, ("classifier", 768, 2),
         "classifier 768 → 2"),
        ({"model_type": "bert", "architectures": ["BertForQuestionAnswering"]}, ("qa_outputs", 768, 2),
         "qa_outputs 768 → 2"),
        ({"model_type": "llama", "architectures": ["LlamaForSequenceClassification"], "num_labels": 1},
         ("score", 4096, 1), "score 4,096 → 1"),
        ({"model_type": "roberta", "architectures": ["RobertaForSequenceClassification"]},
         ("classifier.out_proj", 768, 2), "classifier.out_proj 768 → 2"),
        ({"model_type": "bert", "architectures": ["BertModel"]}, None, "no output head"),
        ({"model_type": "bert", "architectures": ["BertForMaskedLM"]}, None, "tied to the embedding"),
    ],
)
def test_a_head_that_is_not_over_the_vocabulary_is_drawn(
    config: dict[str, Any], head: tuple[str, int, int] | None, drawn: str
) -> None:
    report = inspect(model(config))
    assert report["model"] is not None
    task = report["model"]["task_head"]
    assert (task and (task["name"], task["input"], task["output"])) == head
    style = Style()
    text = " ".join(" ".join(render([report], style)).split())
    assert drawn in text
    assert ("no output head" in text) is (drawn == "no output head")
    if task:
        assert f">{task['name']}<" in " ".join(svg([report], style))
