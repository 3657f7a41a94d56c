"""What the tour's pages are made from: the config's own words for their keys, sizes in short, commands to try."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.render.text_facts import block_width, human
from cfgexplain.render.text_layout import pad, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cfgexplain.lang import Catalogue
    from cfgexplain.render.text_layout import Ink
    from cfgexplain.report import ParamsR, Report

PLAIN: Final = (int, float, str, bool)
#: Objects of a config that hold keys of the model itself.
INSIDE: Final = ("rope_parameters",)
#: Types whose every stored element is one number: bytes of each.
SIZES: Final = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}


class Keys:
    """Keys in the config's own spelling, and which of them were asked for."""

    __slots__ = ("_asked", "_found", "_ink", "_inner", "config")

    def __init__(self, config: Mapping[str, object], inner: str | None, ink: Ink) -> None:
        """``config`` is the language model's own; ``inner`` its dotted path where it is inside another."""
        self.config = config
        self._inner = f"{inner}." if inner else ""
        self._ink = ink
        self._asked: set[str] = set()
        self._found: dict[str, object] = dict(_plain(config))

    def name(self, topic: str, otherwise: str | None = None) -> str:
        """How the config spells a setting; where it does not set it the usual spelling, or what is given."""
        from cfgexplain.explain.key_topics import topics

        same = topics()[topic].same(topic)
        found = next((p for s in same for p in self._found if p == s or p.endswith(f".{s}")), None)
        return self.path(found) if found else topic if otherwise is None else otherwise

    def path(self, key: str) -> str:
        """The last word of a key that the tour tells of."""
        self._asked.add(key.removeprefix(self._inner))
        return self._ink.name(key.rpartition(".")[2], 40)

    def told(self) -> list[tuple[str, str]]:
        """The keys that the tour told of and the config sets, in its own order, with their values as JSON has them."""
        import json

        return [
            (self._ink.name(p, 60), self._ink.name(json.dumps(v, ensure_ascii=False), 60))
            for p, v in self._found.items()
            if p in self._asked
        ]


def _plain(config: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Path → value of every plain setting."""
    for key, value in config.items():
        if isinstance(value, PLAIN):
            yield key, value
        elif key in INSIDE and isinstance(value, dict):
            yield from ((f"{key}.{k}", v) for k, v in value.items() if isinstance(v, PLAIN))


def commands(name: str, key: str, ink: Ink, t: Catalogue) -> Iterator[str]:
    """Commands to try, each with what it does: beside it, or under it where that is too wide."""
    rows = [
        (f"cfgexplain {command}", ink.text(t.text(f"tour.next.{word}")))
        for command, word in (
            (name, "whole"), (f"{name} --key {key}", "key"), (f"{name} --format html -o model.html", "html"),
            ("key rope_theta", "any-key"), ("rule missing-final-norm", "rule"), ("examples", "examples"),
            ("./my-model", "own"), ("check ./my-model", "check"), ("diff ./my-model org/base-model", "diff"),
        )
    ]  # fmt: skip
    room = max(width_of(command) for command, _ in rows)
    beside = room + 6 + max(width_of(words) for _, words in rows) <= ink.width
    for command, words in rows:
        if beside:
            yield f"    {pad(command, room)}  {ink.paint(words, 'dim')}"
        else:
            yield from (f"    {command}", f"        {ink.paint(words, 'dim')}")


def short(n: int) -> str:
    """Bytes in short, number and unit on one line."""
    return human(n, "B").replace(" ", "\u00a0")


def met(r: Report) -> tuple[int | None, str]:
    """The width of the block that a token meets; the key of it where it is not the feed-forward width's own."""
    f = r["ffn"]
    if not f or f["kind"] == "none" or f["gated"] is None:
        return None, ""
    groups = f["layers"] or ()
    if groups and all(g["kind"] != "dense" for g in groups):
        # No layer has the config's dense width: what a token meets are experts.
        width = next((g["intermediate_size"] for g in groups if g["kind"] == "moe"), None)
        same = width == f["intermediate_size"]["value"]
        return width, "" if same else "moe_intermediate_size"
    return block_width(r), ""


def stored(params: ParamsR) -> tuple[str, dict[str, object]] | None:
    """The text on the weights' size, and its values; bytes for a parameter where nothing but the model is stored."""
    if not params["bytes"]:
        return None
    size, roles = short(params["bytes"]), params["by_role"] or {}
    types = {SIZES.get(d) for d, n in (params["by_dtype"] or {}).items() if n}
    each = types.pop() if len(types) == 1 else None
    if not params["total"] or any(roles.get(x) for x in ("mtp", "adapter")):
        return "sum.bytes", {"bytes": size}
    if each:
        return "sum.bytes-each", {"bytes": size, "each": each}
    return "sum.bytes-average", {"bytes": size, "each": f"{params['bytes'] / params['total']:.3g}"}
