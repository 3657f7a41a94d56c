"""Which keys mean the same: the spellings of every key that a text explains, and what belongs to it.

One row a topic, under the name that most configs use. The texts are in the catalogue ("key.<topic>.does" and
"key.<topic>.wrong"), so that every spelling shares them, and so do keys that one text explains together. A spelling
with a dot is meant only in that place.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Topic(NamedTuple):
    """One key's meaning.

    Attributes:
        name: the commonest spelling, which is the topic's name in the catalogue.
        after: whether it can be changed after training: "explain.key.after.<after>".
        formula: name of the function that adds this model's numbers, or "".
        also: other spellings of the same setting.
        related: topics that are read together with it.
        refs: "ref.<key>".
        beside: other settings that the same text explains: no spellings of it, and often its opposite or its partner.
    """

    name: str
    after: str
    formula: str = ""
    also: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    def same(self, name: str) -> tuple[str, ...]:
        """The spellings of the setting that a name stands for, itself among them."""
        return (name,) if name in self.beside else (self.name, *self.also)


def _t(
    name: str, after: str, formula: str = "", also: str = "", related: str = "", refs: str = "", beside: str = ""
) -> Topic:
    return Topic(name, after, formula, *(tuple(x.split()) for x in (also, related, refs, beside)))


@cache
def topics() -> Mapping[str, Topic]:
    """Every topic by its name."""
    from cfgexplain.explain import key_table

    return {t.name: t for t in key_table.TOPICS}


@cache
def spellings() -> Mapping[str, Topic]:
    """Name → the topic whose text explains it; the topics' own names first."""
    found = {s: t for t in topics().values() for s in (*t.also, *t.beside)}
    return {**found, **topics()}


#: Levels of a config that only say for which layers the keys below them are.
THROUGH: Final = frozenset({"full_attention", "sliding_attention", "chunked_attention", "linear_attention"})


def topic_of(path: str) -> Topic | None:
    """The topic of a key at a dotted path; the longest ending that names one wins."""
    parts = [p for k, p in enumerate(path.split(".")) if p not in THROUGH or not k]
    names = spellings()
    for k in range(len(parts)):
        found = names.get(".".join(parts[k:]))
        if found is not None:
            return found
    return None


topic = _t
