"""``model_type`` → table. One line for each, so that only the file that is needed is imported."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cfgexplain.families.schema import Family

#: model_type → "file:NAME" below this package.
TABLES: Final[dict[str, str]] = {
    "RefinedWeb": "neox:REFINED_WEB",
    "RefinedWebModel": "neox:REFINED_WEB_MODEL",
    "albert": "bert_compact:ALBERT",
    "axk1": "deepseek:AXK1",
    "axk2": "deepseek:AXK2",
    "bamba": "mamba:BAMBA",
    "bert": "bert:BERT",
    "bert-generation": "bert:BERT_GENERATION",
    "big_bird": "roberta:BIG_BIRD",
    "bloom": "neox:BLOOM",
    "camembert": "roberta:CAMEMBERT",
    "codegen": "gptj:CODEGEN",
    "convbert": "bert_compact:CONVBERT",
    "data2vec-text": "roberta:DATA2VEC_TEXT",
    "deepseek": "deepseek:DEEPSEEK",
    "deepseek_ref": "deepseek_v4:DEEPSEEK_REF",
    "deepseek_v2": "deepseek:DEEPSEEK_V2",
    "deepseek_v3": "deepseek:DEEPSEEK_V3",
    "deepseek_v32": "deepseek:DEEPSEEK_V32",
    "deepseek_v4": "deepseek_v4:DEEPSEEK_V4",
    "distilbert": "bert_compact:DISTILBERT",
    "dots1": "deepseek:DOTS1",
    "electra": "bert_compact:ELECTRA",
    "ernie": "bert:ERNIE",
    "esm": "roberta:ESM",
    "falcon": "neox:FALCON",
    "falcon_h1": "mamba:FALCON_H1",
    "falcon_mamba": "mamba:FALCON_MAMBA",
    "fnet": "bert_compact:FNET",
    "funnel": "bert_compact:FUNNEL",
    "gemma": "llama:GEMMA",
    "gemma2": "llama:GEMMA2",
    "glm4_moe": "deepseek:GLM4_MOE",
    "glm4_moe_lite": "deepseek:GLM4_MOE_LITE",
    "glm_moe_dsa": "deepseek:GLM_MOE_DSA",
    "gpt-sw3": "gpt2:GPT2",
    "gpt2": "gpt2:GPT2",
    "gpt_bigcode": "gptj:GPT_BIGCODE",
    "gpt_neo": "gptj:GPT_NEO",
    "gpt_neox": "neox:GPT_NEOX",
    "gpt_neox_japanese": "neox:GPT_NEOX_JAPANESE",
    "gptj": "gptj:GPTJ",
    "granite": "llama:GRANITE",
    "granitemoehybrid": "mamba_moe:GRANITE_HYBRID",
    "hy_v4": "deepseek_v4:HY_V4",
    "ibert": "roberta:IBERT",
    "jamba": "mamba_moe:JAMBA",
    "kimi_k2": "deepseek:DEEPSEEK_V3",
    "layoutlm": "bert:LAYOUTLM",
    "llama": "llama:LLAMA",
    "longformer": "roberta:LONGFORMER",
    "luke": "roberta:LUKE",
    "mamba": "mamba:MAMBA",
    "mamba2": "mamba:MAMBA2",
    "megatron-bert": "roberta:MEGATRON_BERT",
    "minicpm3": "deepseek:MINICPM3",
    "mistral": "llama:MISTRAL",
    "mistral4": "deepseek:MISTRAL4",
    "mobilebert": "bert_compact:MOBILEBERT",
    "mpnet": "roberta:MPNET",
    "mpt": "neox:MPT",
    "mra": "bert:MRA",
    "nemotron_h": "mamba_moe:NEMOTRON_H",
    "nystromformer": "bert:NYSTROMFORMER",
    "olmo2": "llama:OLMO2",
    "openai-gpt": "gptj:OPENAI_GPT",
    "opt": "opt:OPT",
    "phi3": "llama:PHI3",
    "qwen2": "llama:QWEN2",
    "qwen3": "llama:QWEN3",
    "rembert": "bert_compact:REMBERT",
    "roberta": "roberta:ROBERTA",
    "roberta-prelayernorm": "roberta:ROBERTA_PRELAYERNORM",
    "roc_bert": "bert:ROC_BERT",
    "roformer": "bert_compact:ROFORMER",
    "sarvam_mla": "deepseek:SARVAM_MLA",
    "sarvam_moe": "deepseek:SARVAM_MOE",
    "smollm3": "llama:SMOLLM3",
    "solar_open": "deepseek:SOLAR_OPEN",
    "squeezebert": "bert_compact:SQUEEZEBERT",
    "stablelm": "llama:STABLELM",
    "tapas": "bert:TAPAS",
    "xlm-roberta": "roberta:XLM_ROBERTA",
    "xlm-roberta-xl": "roberta:XLM_ROBERTA_XL",
    "xlnet": "opt:XLNET",
    "xmod": "roberta:XMOD",
    "yoso": "bert:YOSO",
}


def find(model_type: str) -> Family | None:
    """The family of a model type, or None where no table exists."""
    place = TABLES.get(model_type)
    if place is None:
        return None
    module, _, name = place.partition(":")
    family: Family = getattr(import_module(f"cfgexplain.families.{module}"), name)
    return family
