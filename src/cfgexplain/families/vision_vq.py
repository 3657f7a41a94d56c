"""Image tokenizers (VQ-GAN, Esser et al. 2020, 2012.09841) inside Chameleon, Emu3 and Janus.

Facts from transformers 5.24, ``models/{chameleon,emu3,janus}``. Levels halve the image and widen the channels by
``channel_multiplier``; each has the same number of residual blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.families.common import key
from cfgexplain.families.schema import Family, Norm, Slots, linear, norm, replace, slots, tensor, under, when

if TYPE_CHECKING:
    from collections.abc import Callable

    from cfgexplain.families.schema import Key

#: More levels than any tokenizer has.
LEVELS: Final = 8


def conv(name: str, out: str, into: str, *sides: int) -> Slots:
    """A convolution with bias."""
    return slots(
        tensor(f"{name}.weight", "vision", f"{out}, {into}, {', '.join(map(str, sides))}"),
        tensor(f"{name}.bias", "vision", out),
    )


def group_norm(name: str, size: str) -> Slots:
    """A norm's gain and bias [size]."""
    return norm(name, "vision", size, "1")


def spatial_norm(name: str, size: str) -> Slots:
    """A norm that the quantized image steers."""
    return slots(
        group_norm(f"{name}.norm_layer", size), conv(f"{name}.conv_y", size, "embed", 1, 1),
        conv(f"{name}.conv_b", size, "embed", 1, 1),
    )


def residual(name: str, into: str, out: str, normed: Callable[[str, str], Slots] = group_norm) -> Slots:
    """Two convolutions, and a third where the width changes."""
    return slots(
        normed(f"{name}.norm1", into), conv(f"{name}.conv1", out, into, 3, 3), normed(f"{name}.norm2", out),
        conv(f"{name}.conv2", out, out, 3, 3), when(f"{into} != {out}", conv(f"{name}.nin_shortcut", out, into, 1, 1)),
    )


def conv_attention(name: str, size: str) -> Slots:
    """Attention over pixels, by 1x1 convolutions."""
    return slots(
        group_norm(f"{name}.norm", size), *(conv(f"{name}.{m}", size, size, 1, 1) for m in ("q", "k", "v", "proj_out")),
    )


def linear_attention(
    name: str, size: str, normed: Callable[[str, str], Slots] = group_norm, after: str = "attn_norm"
) -> Slots:
    """Emu3's attention over pixels, ``width`` wide whatever the level, its norm beside it."""
    return slots(
        normed(after, size),
        *(linear(f"{name}.{m}_proj", "vision", "", "width", "width", "1") for m in ("q", "k", "v", "out")),
    )


def level(
    prefix: str, cond: str, into: str, out: str, blocks: str, resample: str, resampled: str, attended: Slots,
    attends: str,
    normed: Callable[[str, str], Slots] = group_norm,
) -> Slots:
    """One level: blocks, of which the first changes the width, attention after each where ``attends``, a resampler."""
    return when(
        cond,
        under(f"{prefix}block.", residual("{i}", f"({into} if i == 0 else {out})", out, normed), layers=blocks),
        when(attends, under(prefix, attended, layers=blocks)) if attends else (),
        when(resampled, conv(f"{prefix}{resample}.conv", out, out, 3, 3)),
    )


def _width(n: int) -> str:
    return f"base*mult[{n}]"


def encoder(down: str, attended: Callable[[str], Slots], attends: Callable[[int], str]) -> Slots:
    """The way down: ``base`` channels first, then each level's multiple of it."""
    return slots(
        *(
            level(
                f"{down}{n}.", f"levels > {n}", _width(n - 1) if n else "base", _width(n), "blocks", "downsample",
                f"{n} != levels - 1", attended(_width(n)), attends(n),
            )
            for n in range(LEVELS)
        ),
    )


TOP: Final = "base*mult[levels - 1]"
LATENT_OUT: Final = "(2*latent if double else latent)"


def vq_keys(
    *, embed: int, codes: str, entries: int, latent: int, base: int, mult: tuple[int, ...], **more: Key
) -> dict[str, Key]:
    """The tokenizers' keys."""
    return {
        "embed": key("embed_dim", embed), "codes": key(codes, entries), "latent": key("latent_channels", latent),
        "double": key("double_latent", False), "channels": key("in_channels", 3), "base": key("base_channels", base),
        "mult": key("channel_multiplier", mult), "blocks": key("num_res_blocks", 2), **more,
    }


_LETS: Final = {"levels": "len(mult)"}
_CODES: Final = tensor("quantize.embedding.weight", "vision", "codes, embed")
_QUANT: Final = slots(
    _CODES, conv("quant_conv", "embed", "latent", 1, 1), conv("post_quant_conv", "latent", "embed", 1, 1),
)


def _middle(prefix: str, cond: str = "") -> Slots:
    return under(
        prefix, residual("block_1", TOP, TOP),
        when(cond, conv_attention("attn_1", TOP)) if cond else conv_attention("attn_1", TOP),
        residual("block_2", TOP, TOP),
    )


#: Only the encoder: Chameleon reads images, the library does not draw them.
CHAMELEON_VQ: Final = Family(
    id="chameleon_vqgan",
    source="transformers 5.24 ChameleonVQVAEConfig, ChameleonVQVAE",
    base="",
    keys=vq_keys(
        embed=256, codes="num_embeddings", entries=8192, latent=256, base=128, mult=(1, 1, 2, 2, 4),
        image=key("resolution", 512), where=key("attn_resolutions", None, "list"), how=key("attn_type", "vanilla"),
    ),
    lets=_LETS,
    body=slots(
        _QUANT,
        under(
            "encoder.",
            conv("conv_in", "base", "channels", 3, 3),
            encoder(
                "down.", lambda size: conv_attention("attn.{i}", size),
                lambda n: f"where is not None and image // {2**n} in where and how == 'vanilla'",
            ),
            _middle("mid.", "how == 'vanilla'"),
            group_norm("norm_out", TOP), conv("conv_out", LATENT_OUT, TOP, 3, 3),
        ),
    ),
    norm=Norm("other", "none", eps=1e-6, final=False),
    head="Model",
    kv="0",
)

#: Apertus 1.5 lists attention with the block that it follows, and its book of codes is a linear layer.
APERTUS_VQ: Final = replace(
    CHAMELEON_VQ,
    id="apertus1p5_vision_tokenizer",
    source="transformers 5.24 Apertus1p5VisionTokenizerConfig, Apertus1p5VisionTokenizerModel",
    keys=vq_keys(
        embed=256, codes="codebook_size", entries=131072, latent=256, base=256, mult=(1, 1, 2, 2, 4),
        blocks=key("num_res_blocks", 4), image=key("resolution", 256), where=key("attn_resolutions", (16,)),
        double=key((), False),
    ),
    body=slots(
        _CODES, conv("quant_conv", "embed", "latent", 1, 1),
        under(
            "encoder.",
            conv("conv_in", "base", "channels", 3, 3),
            *(
                when(
                    f"levels > {n}",
                    under(
                        f"stages.{n}.layers.{{i}}.",
                        residual("resnet", f"({_width(n - 1) if n else 'base'} if i == 0 else {_width(n)})", _width(n)),
                        when(f"image // {2**n} in where", conv_attention("attention", _width(n))),
                        layers="blocks",
                    ),
                    when(f"{n} != levels - 1", conv(f"stages.{n}.downsample.conv", _width(n), _width(n), 3, 3)),
                )
                for n in range(LEVELS)
            ),
            _middle("mid."), group_norm("norm_out", TOP), conv("conv_out", "latent", TOP, 3, 3),
        ),
    ),
)

JANUS_VQ: Final = Family(
    id="janus_vqgan",
    source="transformers 5.24 JanusVQVAEConfig, JanusVQVAE (the way up is listed from the narrow end)",
    base="",
    keys=vq_keys(
        embed=8, codes="num_embeddings", entries=16384, latent=256, base=128, mult=(1, 1, 2, 2, 4),
        colours=key("out_channels", 3), project=key("projection_dim", 2048), layers=key("num_hidden_layers", 2),
        token=key("image_token_embed_dim", 2048),
    ),
    lets=_LETS,
    body=slots(
        _QUANT,
        under(
            "encoder.",
            conv("conv_in", "base", "channels", 3, 3),
            encoder("down.", lambda size: conv_attention("attn.{i}", size), lambda n: f"{n} == levels - 1"),
            _middle("mid."), group_norm("norm_out", TOP), conv("conv_out", LATENT_OUT, TOP, 3, 3),
        ),
        under(
            "decoder.",
            conv("conv_in", TOP, "latent", 3, 3), _middle("mid."),
            *(
                level(
                    f"up.{n}.", f"levels > {n}", f"base*mult[min(levels - {n}, levels - 1)]",
                    f"base*mult[levels - {n + 1}]",
                    "blocks + 1", "upsample", f"{n} != levels - 1", conv_attention("attn.{i}", TOP),
                    "True" if n == 0 else "",
                )
                for n in range(LEVELS)
            ),
            group_norm("norm_out", _width(0)), conv("conv_out", "colours", _width(0), 3, 3),
        ),
    ),
    norm=Norm("other", "none", eps=1e-6, final=False),
    head="Model",
    kv="0",
)


def _batch_norm(name: str, size: str) -> Slots:
    return slots(
        norm(name, "vision", size, "1"), tensor(f"{name}.running_mean", "buffer", size, kind="buffer"),
        tensor(f"{name}.running_var", "buffer", size, kind="buffer"),
        tensor(f"{name}.num_batches_tracked", "buffer", "", kind="buffer"),
    )


def _in_time(size: str, frames: int) -> Slots:
    """Convolutions over time: as many as halvings, then residual blocks."""
    return slots(
        under("time_conv.{i}.", conv("conv.conv", size, size, frames, 3, 3), layers="int(log2(halved))"),
        under(
            "time_res_stack.{i}.",
            _batch_norm("norm1", size), conv("conv1.conv", size, size, 3, 3, 3), _batch_norm("norm2", size),
            conv("conv2.conv", size, size, 3, 3, 3),
            layers="blocks",
        ),
    )


def _emu3_level(size: str, normed: Callable[[str, str], Slots] = group_norm) -> Slots:
    return linear_attention("attn.{i}", size, normed, "attn_norms.{i}")


def _emu3_middle(normed: Callable[[str, str], Slots]) -> Slots:
    return under(
        "middle_block.", residual("block_1", TOP, TOP, normed), linear_attention("attn_1", TOP, normed),
        residual("block_2", TOP, TOP, normed),
    )


EMU3_VQ: Final = Family(
    id="emu3_vqgan",
    source="transformers 5.24 Emu3VQVAEConfig, Emu3VQVAE (convolutions over time; the decoder's norms see the code)",
    base="",
    keys=vq_keys(
        embed=4, codes="codebook_size", entries=32768, latent=4, base=256, mult=(1, 2, 2, 4),
        colours=key("out_channels", 3), halved=key("temporal_downsample_factor", 4), width=key("hidden_size", 1024),
        where=key("attn_resolutions", (3,)),
    ),
    lets=_LETS,
    body=slots(
        _CODES, conv("quant_conv.conv", "embed", "latent", 3, 1, 1),
        conv("post_quant_conv.conv", "latent", "embed", 3, 1, 1),
        under(
            "encoder.",
            conv("conv_in", "base", "channels", 3, 3),
            encoder("down_block.down.", _emu3_level, lambda n: f"{n} in where"),
            _emu3_middle(group_norm), group_norm("norm_out", TOP), conv("conv_out", LATENT_OUT, TOP, 3, 3),
            _in_time(LATENT_OUT, 4),
        ),
        under(
            "decoder.",
            _in_time("latent", 3), conv("conv_in", TOP, "latent", 3, 3), _emu3_middle(spatial_norm),
            *(
                level(
                    f"up_block.up.{n}.", f"levels > {n}", f"base*mult[min({n + 1}, levels - 1)]", _width(n),
                    "blocks + 1",
                    "upsample", f"{n} != 0", _emu3_level(_width(n), spatial_norm), f"{n} in where", spatial_norm,
                )
                for n in range(LEVELS)
            ),
            spatial_norm("norm_out", _width(0)), conv("conv_out", "colours", _width(0), 3, 3),
        ),
    ),
    norm=Norm("other", "none", eps=1e-6, final=False),
    head="Model",
    kv="0",
)
