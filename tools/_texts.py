"""The page of all explanatory texts: what is said, when, and what it rests on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from _conditions import CONDITIONS, SOURCES, TOPICS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cfgexplain.explain.key_variants import Variant
    from cfgexplain.families.remarks import Remark
    from cfgexplain.lang import Catalogue

#: Characters of a text that a row shows.
LONGEST: Final = 130
#: Families that a row names.
FEW: Final = 6

HEAD: Final = """\
# Texts

<!-- Made by tools/make_docs.py from the catalogue, the tables and tools/_conditions.py. Do not edit. -->

Every text that explains a model, when it is said, and the references that bear it out. Long texts are cut: the
catalogue (src/cfgexplain/lang/en\\_\\*.py) has them whole, and other languages the same under the same keys. The manual
pages of the checks are in [checks.md](checks.md).

- *Sentences*: conditions and references are those of tools/\\_conditions.py, written down from the code of
  src/cfgexplain/explain. tests/test\\_texts.py fails where a sentence has no condition, and, on all examples and the
  whole corpus, where an explanation lacks a reference listed here, or carries one that no sentence lists.
- *Keys*: spellings, what is said of changes after training, and references are those of the tables in
  src/cfgexplain/explain/key\\_table.py; other meanings of a spelling those of key\\_variants.py.
- *Remarks*: conditions are those of src/cfgexplain/families/remarks.py; each rests on the reference implementation's
  models/FAMILY/modeling\\_FAMILY.py, and a default on its configuration\\_FAMILY.py.
"""


def page() -> str:
    """The whole file."""
    from cfgexplain.lang import catalogue

    texts = catalogue("en")
    return "\n".join([HEAD, *_sentences(texts), *_keys(texts), *_words(texts), *_remarks(texts), *_references(texts)])


def _sentences(t: Catalogue) -> Iterator[str]:
    yield "## Sentences\n"
    for topic, sentences in CONDITIONS.items():
        yield f"### explain.{topic}\n\n{escaped(TOPICS[topic])}\n"
        yield _table("sentence", "text", "said when", "references")
        for name, condition in sentences.items():
            refs = SOURCES.get(f"{topic}.{name}", "").split()
            yield _row(f"`{name}`", cut(t.text(f"explain.{topic}.{name}")), condition, _short(t, refs))
        yield ""
    yield "### explain.key.after\n\nThe second half of “After training”, by what the table of keys says of the key.\n"
    yield _table("sentence", "text", "said of")
    for name, keys in after().items():
        more = len(keys) - FEW
        told = ", ".join(f"`{k}`" for k in keys[:FEW]) + (f" and {more} more" if more > 0 else "")
        yield _row(f"`{name}`", cut(t.text(f"explain.key.after.{name}")), told)
    yield ""


def after() -> dict[str, list[str]]:
    """What is said of changing a key after training → the keys of which it is said."""
    from cfgexplain.explain.key_topics import topics
    from cfgexplain.explain.key_variants import VARIANTS

    out: dict[str, list[str]] = {}
    for topic in (*topics().values(), *(v.topic for v in VARIANTS)):
        out.setdefault(topic.after, []).append(topic.name)
    return out


def _keys(t: Catalogue) -> Iterator[str]:
    from cfgexplain.explain.key_topics import topics
    from cfgexplain.explain.key_variants import VARIANTS

    yield "## Keys\n"
    yield "Said where the key is asked for (`--key`, `--all-keys`, `cfgexplain key`) under one of these spellings.\n"
    yield _table("key", "what it does", "if it is wrong", "said of", "references")
    for topic in topics().values():
        told = ", ".join(f"`{x}`" for x in (topic.name, *topic.also, *topic.beside))
        does, wrong = (cut(t.text(f"key.{topic.name}.{x}")) for x in ("does", "wrong"))
        yield _row(f"`{topic.name}`", does, wrong, told, _short(t, topic.refs))
    yield "\nIn place of these, where the same spelling has another meaning:\n"
    yield _table("key", "what it does", "if it is wrong", "said when", "references")
    for v in VARIANTS:
        does, wrong = (cut(t.text(f"key.{v.topic.name}.{x}")) for x in ("does", "wrong"))
        yield _row(f"`{v.topic.name}`", does, wrong, _variant(v), _short(t, v.topic.refs))
    yield ""


def _variant(v: Variant) -> str:
    """What has to hold for another meaning of a key."""
    parts = {
        "spelled": ", ".join(f"`{n}`" for n in v.names), "family": ", ".join(sorted(v.families)),
        "attention": v.attention, "positions": ", ".join(v.positions), "remark": v.remark,
        "value": ", ".join(map(str, v.values)),
    }  # fmt: skip
    return f"`{v.of}`; " + "; ".join(f"{name}: {value}" for name, value in parts.items() if value)


def _words(t: Catalogue) -> Iterator[str]:
    from cfgexplain.explain.key_words import WORDS

    yield "## Words\n"
    yield "Said where `cfgexplain key` is asked for a word that is no key.\n"
    yield _table("word", "text", "asked for as")
    for w in WORDS:
        yield _row(f"`{w.name}`", cut(t.text(f"word.{w.name}")), ", ".join((w.shown, *w.also)))
    yield ""


def _remarks(t: Catalogue) -> Iterator[str]:
    yield "## Remarks\n"
    yield "Said beside the drawing. In conditions, words that are no keys are the family table's own names.\n"
    yield _table("remark", "text", "said when")
    for name, when in remarks().items():
        yield _row(f"`{name}`", cut(t.text(f"text.draw.remark.{name}")), "; ".join(when))
    yield ""


def remarks() -> dict[str, list[str]]:
    """Remark → its conditions, as the tables have them."""
    from cfgexplain.facts.remarks import TRANSFORMS
    from cfgexplain.families.remarks import AXES, REMARKS, SEEN

    alike: dict[Remark, list[str]] = {}
    for family, found in REMARKS.items():
        for r in found:
            alike.setdefault(r, []).append(family)
    out: dict[str, list[str]] = {}
    for r, families in alike.items():
        out.setdefault(r.name, []).append(_told(r, families))
    for word, name in SEEN.items():
        out.setdefault(name, []).append(f"a tensor's name has `{word}`")
    out["head-transform"] = ["the head has a tensor whose name has " + ", ".join(f"`{x}`" for x in TRANSFORMS)]
    out["axes"] = [", ".join(sorted(AXES)) + ": `mrope_section` is a list"]
    out["deepstack"] = ["a model inside has `deepstack_visual_indexes`, and names layers there"]
    return out


def _told(r: Remark, families: list[str]) -> str:
    more = len(families) - FEW
    text = ", ".join(families[:FEW]) + (f" and {more} more" if more > 0 else "")
    if r.key and not r.rule:
        off = ", ".join("null" if x is None else str(x).lower() for x in r.off)
        absent = "null" if r.default is None else str(r.default).lower()
        text += f": `{r.key}` (absent: {absent}) is {'none of' if len(r.off) > 1 else 'not'} {off}"
        text += f", nor `{r.usual}`" if r.usual else ""
    return text + (f", where `{r.when}`" if r.when else "") + (f", in layers where `{r.each}`" if r.each else "")


def _references(t: Catalogue) -> Iterator[str]:
    from cfgexplain.explain.key_topics import topics
    from cfgexplain.explain.key_variants import VARIANTS

    keys = (*topics().values(), *(v.topic for v in VARIANTS))
    used = {r for refs in SOURCES.values() for r in refs.split()} | {r for k in keys for r in k.refs}
    yield "## References\n"
    yield from (f"- {escaped(text)}" for text in sorted(t.text(f"ref.{r}") for r in used))
    yield ""


def _short(t: Catalogue, refs: list[str] | tuple[str, ...]) -> str:
    """Authors and year of each."""
    found = [re.match(r".*?\b(?:19|20)\d\d\b|[^,]*", t.text(f"ref.{r}")) for r in refs]
    return "; ".join(m.group() for m in found if m)


def cut(text: str) -> str:
    """As much of a text as a row has place for: its first sentences, or the beginning of the first."""
    if len(text) <= LONGEST:
        return text
    ends = [m.end() for m in re.finditer(r"[.;:](?= [A-Z0-9{])", text[:LONGEST])]
    return text[: ends[-1]] + " …" if ends and ends[-1] > LONGEST // 3 else text[:LONGEST].rpartition(" ")[0] + " …"


def _table(*heads: str) -> str:
    return f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(outside_code(c, escaped).replace('|', chr(92) + '|') for c in cells)} |"


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with what stands outside of backticks changed."""
    return "`".join(part if k % 2 else change(part) for k, part in enumerate(text.split("`")))


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return text.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
