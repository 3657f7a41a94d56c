"""The page of one key without a model: the text that its spellings share, and what the tables do with it.

Reads every table, which takes some tenths of a second: only this command does.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Final

from cfgexplain.errors import CfgexplainError
from cfgexplain.explain.key_owners import closure_of
from cfgexplain.explain.key_rules import arithmetic, constant, sources
from cfgexplain.explain.key_topics import spellings, topic_of, topics
from cfgexplain.explain.key_variants import apart
from cfgexplain.explain.key_words import WORDS, word_of, word_page
from cfgexplain.families.registry import TABLES, find
from cfgexplain.families.schema import E
from cfgexplain.lang import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cfgexplain.explain.key_topics import Topic
    from cfgexplain.families.schema import Default, Family
    from cfgexplain.lang import Catalogue

#: Families, and tensors, that one line names.
FEW: Final = 6
#: Defaults shown of a spelling, unless everything is asked for.
COMMON: Final = 3


@cache
def families() -> tuple[Family, ...]:
    """Every family of the registry once, in the order of their names."""
    found: dict[str, Family] = {}
    for t in TABLES:
        f = find(t)
        # A variant made for the inside of one wrapper shares the name; defaults shown under it are those of its own.
        if f is not None and (f.id not in found or t == f.id):
            found[f.id] = f
    return tuple(found[name] for name in sorted(found))


def known_names() -> set[str]:
    """Every name that has a page: spellings that a text explains, and keys of the tables, with and without place."""
    found = set(spellings())
    for f in families():
        for k in f.keys.values():
            for name in k.names:
                found |= {name, name.rpartition(".")[2]}
        found.update(f.unread)
    return found


def listed(lang: str) -> Iterator[tuple[str, str]]:
    """Every topic, with the first sentence of what it does."""
    t = catalogue(lang)
    for name in topics():
        yield name, _first(t.text(f"key.{name}.does"))


def _first(text: str) -> str:
    """The first sentence, up to a colon where enough stands before it; never cut inside brackets."""
    text = _before(text, "。", 0)
    for mark in (": ", ". ", "："):
        text = _before(text, mark, 20 if mark.isascii() else 8)
    return text.rstrip(".。")


def _before(text: str, mark: str, least: int) -> str:
    """What stands before the first such mark outside brackets, where that is longer than the least."""
    at = text.find(mark)
    while at >= 0:
        head = text[:at]
        if sum(map(head.count, "(（[{")) <= sum(map(head.count, ")）]}")):
            return head if len(head) > least else text
        at = text.find(mark, at + 1)
    return text


def page(name: str, lang: str, everything: bool = False) -> list[str]:
    """Paragraphs: what it does, what if it is wrong, what the families do with it; or what a word means.

    Args:
        everything: every spelling and default of the tables, not only the common ones.

    Raises:
        CfgexplainError: "usage"; no text and no table knows the name.
    """
    t = catalogue(lang)
    topic = topic_of(name)
    readers = _readers(topic, name)
    meant = word_of(name)
    if topic is None and not any(readers.values()):
        if meant is not None:
            return word_page(meant, t)
        import difflib

        names = {n.lower(): n for n in (*(w.shown for w in WORDS), *sorted(known_names()))}
        near = difflib.get_close_matches(name.lower(), names, 1)
        hint = f"Did you mean {names[near[0]]}?" if near else "`cfgexplain key` lists the keys that are explained."
        raise CfgexplainError("usage", f"no key is called {name}", hint)
    out = [name]
    if topic is not None:
        same = topic.same(leaf) if (leaf := name.rpartition(".")[2]) in topic.beside else topic.same(name)
        others = [s for s in (topic.name, *topic.also, *topic.beside) if s not in same]
        for word, group in (("also", [s for s in same if s not in (name, leaf)]), ("beside", others)):
            if group:
                out.append(t.text(f"page.key.{word}").format(names=t.text("join.list").join(group)))
        out.append(t.text(f"key.{topic.name}.does"))
        out.append(t.text("page.key.wrong").format(text=t.text(f"key.{topic.name}.wrong")))
        out.append(t.text("page.key.after").format(text=t.text(f"explain.key.after.{topic.after}")))
        if topic.related:
            out.append(t.text("page.key.related").format(names=t.text("join.list").join(topic.related)))
        for v in apart(topic, name):
            ids = t.text("join.list").join(sorted(v.families))
            out.append(t.text("page.key.apart").format(families=ids, text=t.text(f"key.{v.topic.name}.does")))
    else:
        out.append(t.text("page.key.no-text"))
    if meant is not None:
        out.append(t.text("word.also").format(name=meant.shown, text=t.text(f"word.{meant.name}")))
    out.extend(_tables(t, readers, "" if everything else name))
    if topic is not None and topic.refs:
        out.append("\n".join([t.text("page.key.references"), *(f"  {t.text(f'ref.{r}')}" for r in topic.refs)]))
    out.append(t.text("page.key.hint").format(name=name))
    return out


def _readers(topic: Topic | None, name: str) -> dict[str, list[tuple[Family, str, str]]]:
    """Spelling → (family, its name for it, what it takes when the key is absent); "" for those that do not read it."""
    out: dict[str, list[tuple[Family, str, str]]] = {}
    others = frozenset().union(*(v.families for v in apart(topic, name))) if topic is not None else frozenset()
    for f in families():
        if f.id in others:
            continue
        for own, key in f.keys.items():
            for spelling in key.names:
                if name in (spelling, spelling.rpartition(".")[2]) or (
                    topic is not None and spelling == topic.name and name == topic.name
                ):
                    out.setdefault(spelling, []).append((f, own, _default(key.default, f)))
        if name in f.unread:
            out.setdefault("", []).append((f, "", ""))
    return out


def _default(d: Default, f: Family) -> str:
    """What stands for an absent key: a value, "=" and what it is derived from, "?" for what no short text says."""
    if isinstance(d, E):
        rule = arithmetic(d, f, _usual) or ", ".join(sources(d, f, _usual))
        if rule:
            return f"={rule}"
        if d == "None":
            return ""
        found = constant(d)
        return "?" if found is None else json.dumps(found)
    return "" if d is None else str(d) if isinstance(d, str) else json.dumps(d)


def _usual(name: str) -> str:
    """The commonest spelling of a key."""
    topic = spellings().get(name)
    return topic.name if topic is not None and name in topic.also else name


def _tables(t: Catalogue, readers: Mapping[str, list[tuple[Family, str, str]]], only: str) -> Iterator[str]:
    """For each spelling its defaults and whose they are; the tensors that depend on it; who does not read it.

    ``only`` is the spelling that is shown alone, with its common defaults, or else the commonest; "" shows all.
    """
    lines: list[str] = []
    all_of_them = [s for s in readers if s]
    shown = all_of_them
    if only and shown:
        shown = [only if only in readers else max(shown, key=lambda s: len(readers[s]))]
    for spelling in shown:
        found = readers[spelling]
        groups: dict[str, list[str]] = {}
        for f, _, default in found:
            groups.setdefault(default, []).append(f.id)
        lines.append(f"  {spelling}")
        ranked = sorted(((d, list(dict.fromkeys(ids))) for d, ids in groups.items()), key=lambda g: -len(g[1]))
        kept = ranked if not only or len(ranked) <= COMMON + 1 else ranked[:COMMON]
        for default, names in kept:
            kind = "derived" if default.startswith("=") else "default" if default else "no-default"
            kind = "fixed" if default == "?" else kind
            label = t.text(f"page.key.{kind}").format(value=default.removeprefix("="))
            lines.append("    " + _some(t, "families", label, names))
        if len(kept) < len(ranked):
            rest = {f for _, ids in ranked[COMMON:] for f in ids}
            values = {"count": len(ranked) - COMMON, "families": len(rest)}
            lines.append("    " + t.text("page.key.more-defaults").format(**values))
        tensors = list(dict.fromkeys(n for f, own, _ in found for n in closure_of(f, own)))
        if tensors:
            lines.append("    " + _some(t, "families", t.text("page.key.shapes"), tensors))
    if len(shown) < len(all_of_them):
        lines.append("  " + t.text("page.key.more-places").format(count=len(all_of_them) - len(shown)))
    if readers.get(""):
        lines.append("  " + _some(t, "families", t.text("page.key.unread"), [f.id for f, _, _ in readers[""]]))
    if lines:
        yield "\n".join([t.text("page.key.table"), *lines])


def _some(t: Catalogue, key: str, name: str, items: list[str]) -> str:
    more = len(items) - FEW
    joined = t.text("join.list").join(items[:FEW])
    return t.text(f"page.key.{key}-more" if more > 0 else f"page.key.{key}").format(
        name=name, families=joined, count=more
    )
