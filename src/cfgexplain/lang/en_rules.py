"""English: the manual page of each check. ``cfgexplain rule`` prints it, docs/checks.md is made from it."""

from typing import Final

from cfgexplain.lang import en_drift


def _page(says: str, why: str, example: str, references: str = "") -> dict[str, str]:
    return {"says": says, "why": why, "example": example, "references": references}


XIONG: Final = "Xiong et al. 2020, On Layer Normalization in the Transformer Architecture (arXiv:2002.04745)"
ZHANG: Final = "Zhang & Sennrich 2019, Root Mean Square Layer Normalization (arXiv:1910.07467)"
BA: Final = "Ba, Kiros & Hinton 2016, Layer Normalization (arXiv:1607.06450)"
SHAZEER: Final = "Shazeer 2020, GLU Variants Improve Transformer (arXiv:2002.05202)"
AINSLIE: Final = "Ainslie et al. 2023, GQA (arXiv:2305.13245)"
FORMAT: Final = "The safetensors format: https://huggingface.co/docs/safetensors"
FRANTAR: Final = "Frantar et al. 2022, GPTQ (arXiv:2210.17323)"
PRESS: Final = "Press & Wolf 2017, Using the Output Embedding to Improve Language Models (arXiv:1608.05859)"

RULES: Final[dict[str, dict[str, str]]] = {
    "missing-final-norm": _page(
        "The architecture has a norm after the last layer, and the checkpoint has no tensor for it.",
        "In a pre-norm model the residual stream grows from layer to layer; the last norm brings it back to the scale that the "
        "head was trained on. Without its gain the logits are wrong, and nothing crashes. Architectures that "
        "have no such norm, or one without parameters, are never reported.",
        "a merge script copied model.layers.* and lm_head, and forgot model.norm.weight.", XIONG,
    ),
    "missing-layer-norm": _page(
        "A layer lacks a norm that its architecture has.",
        "transformers fills the gain with ones when it loads the model, so that one layer works at another scale.",
        "model.layers.7.input_layernorm.weight was lost when two checkpoints were merged.", ZHANG,
    ),
    "norm-type-mismatch": _page(
        "Config and tensors disagree on RMSNorm or LayerNorm.",
        "LayerNorm subtracts the mean and adds a bias, RMSNorm does neither. A model that runs with the other one is a different "
        "function with the same shapes.",
        "model_type says gpt2, but no norm has a bias.", f"{BA}; {ZHANG}",
    ),
    "unexpected-bias": _page(
        "A bias tensor that neither the architecture nor its config flags allow.",
        "It is left out when the model is loaded, at most with a line in a log. If the model was trained with it, the output degrades; if an exporter "
        "wrote zeros, it only wastes bytes. An RMSNorm with a bias is reported here too.",
        "a Llama with model.layers.{0-31}.mlp.up_proj.bias while mlp_bias is false.",
    ),
    "missing-bias": _page(
        "A bias that the architecture or a config flag requires is absent.",
        "transformers fills it with zeros or random numbers. Qwen2 without its q, k and v biases loads all the same, and computes "
        "something else than was trained.",
        "a Qwen2.5 saved without any self_attn.*.bias.",
    ),
    "eps-missing": _page(
        "The config lacks the ε key that its family reads; the default of transformers applies, and is named.",
        "Every engine has defaults of its own. A model trained with 1e-05 and served with 1e-06 does not crash. Families that "
        "fix ε in code have no such key and are not reported.",
        "a Llama config without rms_norm_eps: transformers takes 1e-06.", ZHANG,
    ),
    "eps-invalid": _page(
        "ε is not a positive finite number.",
        "ε keeps the root of the mean of squares away from zero. Zero or less gives infinities or NaN on the first all-zero "
        "vector, and a library may refuse to load the config.",
        '"rms_norm_eps": 0',
    ),
    "eps-unusual": _page(
        "ε is outside 1e-13 … 1e-3.",
        "Published models lie between 1e-12 (BERT) and 1e-3. A value outside is nearly always a slip of the exponent.",
        '"rms_norm_eps": 1e5',
    ),
    "eps-conflict": _page(
        "Two ε keys of the same family have different values.",
        "One engine reads the first, another the second, and both run.",
        '"layer_norm_epsilon": 1e-05 beside "rms_norm_eps": 1e-06, where the family takes either.',
    ),
    "eps-underflow": _page(
        "ε rounds to zero in the checkpoint's dtype.",
        "The smallest number above zero in float16 is 6e-08. Where the norm is computed in float32 this is harmless; a kernel "
        "that takes ε in float16 divides by zero.",
        '"rms_norm_eps": 1e-08 with float16 weights.',
    ),
    "intermediate-size-mismatch": _page(
        "intermediate_size and the feed-forward matrices disagree.",
        "Loading fails; a permissive loader puts random matrices in their place. The width on disk is the true one.",
        "the config was edited from 29568 to 29440 to please a quantizer, the tensors were not padded.", SHAZEER,
    ),
    "intermediate-size-convention": _page(
        "Without tensors to settle it, the width looks like another tool's convention: twice, three times or two thirds.",
        "Qwen 1 counts gate and up together, some trainers apply the 2/3 twice. A library that reads the number literally "
        "builds another model.",
        '"intermediate_size": 22016 for hidden size 4096 in a Llama.', SHAZEER,
    ),
    "intermediate-size-alignment": _page(
        "The width is not a multiple of what GPU kernels and tensor parallelism like.",
        "Matrix units work in tiles; a width that is no multiple of 64 leaves part of them idle, and splits unevenly. With "
        "--tensor-parallel N, a width that N ranks cannot share in whole columns, or in whole quantization groups, is an error: "
        "an engine refuses it.",
        '"intermediate_size": 10923',
    ),
    "incomplete-ffn": _page(
        "A layer has some of its feed-forward matrices and lacks others.",
        "transformers fills the missing one with random numbers, and the layer adds noise to the residual stream.",
        "model.layers.5.mlp.up_proj.weight is gone while gate_proj and down_proj are there.", SHAZEER,
    ),
    "layer-count-mismatch": _page(
        "The config's layer count and the layers on disk disagree.",
        "Too many layers are dropped, too few are filled with random numbers. Layers for multi-token prediction that the config "
        "announces are none of them.",
        "a stacked merge with 48 layers still says num_hidden_layers 32.",
    ),
    "missing-tensor": _page(
        "A tensor that the architecture needs is absent.",
        "transformers fills it with random numbers and warns in a log that nobody reads.",
        "model.layers.3.self_attn.k_proj.weight is not in any shard.",
    ),
    "unexpected-tensor": _page(
        "A tensor that the architecture has no place for.",
        "It is ignored when the model is loaded: harmless left-overs, or a sign that model_type is wrong.",
        "model.layers.{0-31}.mlp.extra_proj.weight in a Llama.",
    ),
    "shape-mismatch": _page(
        "A shape does not follow from the config.",
        "Loading fails, or with a permissive loader the tensor is replaced by random numbers.",
        "a weight stored transposed, [in, out] instead of [out, in].",
    ),
    "vocab-size-mismatch": _page(
        "The embedding's rows and vocab_size disagree.",
        "One added token is enough to shift this. A vocabulary padded in both places is sound, and silent.",
        "vocab_size 32000 with an embedding of 32001 rows.",
    ),
    "head-mismatch": _page(
        "Head or key-value-head counts do not divide, or do not fit the projections.",
        "Queries are split by these numbers. Where the sizes still happen to fit, the model computes other attention.",
        "num_key_value_heads 4 with a k_proj of 8 heads.", AINSLIE,
    ),
    "tied-head-conflict": _page(
        "The config does not tie the head, no head is stored, and the model class has one.",
        "Generation needs a head. An embedding model does without, so this is a warning.",
        "tie_word_embeddings false and no lm_head.weight in any shard.", PRESS,
    ),
    "tied-head-stored": _page(
        "The config ties the head to the embedding, and one is stored all the same.",
        "Equal to the embedding it is a waste of space. Where the two differ, transformers 5 does not tie and uses the "
        "stored head; older releases and engines that go by the config ignore it: one checkpoint, two models. Headers "
        "cannot tell whether the two differ.",
        "a fine-tune saved both model.embed_tokens.weight and lm_head.weight.", PRESS,
    ),
    "wrapped-names": _page(
        "All names carry a wrapper's prefix.",
        "torch.compile leaves _orig_mod., DDP leaves module., PEFT base_model.model.; nothing loads by such names.",
        "_orig_mod.model.embed_tokens.weight",
    ),
    "dtype-mismatch": _page(
        "The declared dtype and the stored ones disagree.",
        "Sizes estimated from the declared dtype are then wrong; here they come from the headers.",
        "torch_dtype float16 over BF16 tensors.",
    ),
    "index-missing-shard": _page(
        "The index names a shard that is not there.",
        "An interrupted download or upload. Everything in that shard is unknown; it is reported once, here.",
        "model-00002-of-00002.safetensors is missing.", FORMAT,
    ),
    "index-tensor-mismatch": _page(
        "The index and the shard headers disagree on which tensors exist.",
        "A loader that trusts the index looks for a tensor where it is not.",
        "the index lists lm_head.weight, no shard has it.", FORMAT,
    ),
    "quantization-group-mismatch": _page(
        "Scales by group do not fit the weights: the group size does not divide a width, or scales and zero points have another "
        "shape than weight and group give.",
        "Each group of weights along a matrix's input shares a scale. Kernels step through whole groups; where one is cut, or "
        "the scales were made for another group, loading fails or the output is noise. FP8 blocks may end in a part of one.",
        "group_size 128 over an intermediate_size of 4928 = 38.5 groups.", FRANTAR,
    ),
    "quantization-config-mismatch": _page(
        "The quantization config and the tensors disagree: quantized weights that no config declares, a config over plain weights, "
        "or another number of bits.",
        "A loader decides by the config which tensors it looks for and how it unpacks them. A merge or a dequantized copy easily "
        "keeps the old config.",
        "quantization_config says bits: 4 while qweight has [in*8/32, out].", FRANTAR,
    ),
    "index-total-parameters": _page(
        "total_parameters in the index is far from what the tensors are.",
        "Model hubs and planners show this number. Packed 4-bit weights counted as one each, or bytes taken for parameters, make "
        "it several times too small or too large. Differences below a quarter (tied heads, buffers) are not reported.",
        "total_parameters 88,577,906,818 for an 8-bit model of 314 billion parameters: elements of U32, not weights.", FORMAT,
    ),
    "index-total-size": _page(
        "The index's total_size is not the sum of the data.",
        "Tools that plan memory from it plan wrongly; the index is probably stale.",
        "total_size 13476835328 over shards of 26953670656 bytes.", FORMAT,
    ),
    "truncated-file": _page(
        "A weight file ends before its data does.",
        "An interrupted copy. The header is whole, so the tensors are still listed.",
        "the header promises 4,976,698,672 bytes, the file has 3,221,225,472.", FORMAT,
    ),
    "invalid-header": _page(
        "A safetensors header breaks a rule of the format, though its tensors could be listed.",
        "The safetensors library refuses the file. A header that cannot be read at all is an error instead (exit code 3).",
        "two tensors overlap.", FORMAT,
    ),
    "unknown-dtype": _page(
        "A dtype that this version does not know.",
        "Elements are counted from the shape and bytes from the offsets, so both stay right.",
        "F7_NEW", FORMAT,
    ),
    "unsafe-shard-path": _page(
        "The index names a path outside the model's folder.",
        "Such a path would open somebody else's file, or send a token to another repo. It is not opened.",
        "../../../etc/passwd", FORMAT,
    ),
    "weights-not-fetched": _page(
        "A weight file is a Git LFS pointer.",
        "The clone has the text that stands for the file, not the file. The config is still checked.",
        "version https://git-lfs.github.com/spec/v1",
    ),
    "unreferenced-weights": _page(
        "There are weight files that the index does not name.",
        "They are not counted. Left-overs of another split, or of another dtype.",
        "model.safetensors beside model-00001-of-00002.safetensors.",
    ),
    "invalid-config": _page(
        "A known key has an impossible value or type, alone or beside another.",
        "transformers refuses the config, or builds a model that cannot run.",
        '"num_hidden_layers": -1, or layer_types with 47 entries for 48 layers.',
    ),
    "key-conflict": _page(
        "Two names of one setting have different values.",
        "A setting was renamed and both names are in the file, or the file was edited by hand in one place. Old and new readers "
        "take different ones, and both run: rope_theta off by a factor does not crash, it loses long contexts.",
        '"rope_theta": 10000.0 beside "rope_parameters": {"rope_theta": 500000.0}, or torch_dtype beside another dtype.',
        "transformers 5 reads rope_parameters, before that rope_theta and rope_scaling",
    ),
    "unexpected-value": _page(
        "A config key does not have the value that the settings expect.",
        "Some numbers cannot be checked against the weights: ε, the rotary base, the activation. Where a team knows them, it can "
        "write them down under `expect` in cfgexplain.toml or pyproject.toml, and a re-upload with another value is found.",
        "expect = {rms_norm_eps = 1e-5} over a config with 1e-06.",
    ),
    "numeric-string": _page(
        "A structural number is written as a string.",
        "transformers refuses it. YAML 1.1 reads 1e-05 as a string, since it has no dot.",
        '"rms_norm_eps": "1e-05"',
    ),
    "non-finite-number": _page(
        "The JSON holds NaN or Infinity.",
        "Neither is JSON, and many readers refuse the whole file.",
        '"attention_dropout": NaN',
    ),
    "duplicate-key": _page(
        "A key is given twice.",
        "JSON readers keep the last one, people read the first.",
        '"hidden_size" on two lines.',
    ),
    "unknown-family": _page(
        "There is no table for this model_type.",
        "What is said comes from names and shapes of the tensors alone; what cannot be seen there is null.",
        '"model_type": "my_new_model"',
    ),
    **en_drift.RULES,
}
