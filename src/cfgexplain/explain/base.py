"""What an explainer gets, and how it writes: sentences from the catalogue, joined in the order of the argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cfgexplain.families.expr import names_in
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cfgexplain.families.schema import Family
    from cfgexplain.lang import Catalogue
    from cfgexplain.report import ExplanationR, Report
    from cfgexplain.subject import Subject

#: The longest value from a file that an explanation repeats.
LONGEST = 200


class Ready(str):
    """Text that is safe to print already, and complete: never shortened."""

    __slots__ = ()


class Scope(NamedTuple):
    """One model, the facts stated so far, and the language."""

    subject: Subject
    report: Report
    texts: Catalogue


class Writer:
    """One explanation in the making.

    Sentences are whole entries of the catalogue ("explain.<topic>.<sentence>"), so that no language's grammar is
    built in code. Numbers and names are the placeholders' values; strings among them are made safe to print here.
    """

    __slots__ = ("_formulas", "_paragraphs", "_references", "_texts", "_topic")

    def __init__(self, scope: Scope, topic: str) -> None:
        self._texts = scope.texts
        self._topic = topic
        self._paragraphs: list[list[str]] = [[]]
        self._formulas: list[str] = []
        self._references: list[str] = []

    def words(self, name: str, /, **values: object) -> str:
        """A text of this topic, filled in, without adding it."""
        return self._texts.text(f"explain.{self._topic}.{name}").format(**{k: _safe(v) for k, v in values.items()})

    def say(self, name: str, /, **values: object) -> None:
        """Adds a sentence to the paragraph."""
        self._paragraphs[-1].append(self.words(name, **values))

    def add(self, text: str) -> None:
        """Adds a complete text to the paragraph."""
        self._paragraphs[-1].append(text)

    def join(self, other: ExplanationR) -> None:
        """Adds another explanation's text, formula and references."""
        self._paragraphs.extend([text] for text in other["text"].split("\n"))
        if other["formula"]:
            self._formulas.extend(other["formula"].split("\n"))
        self._references.extend(r for r in other["references"] if r not in self._references)

    def ready(self, text: str) -> Ready:
        """A text of the catalogue as a value of another."""
        return Ready(text)

    def paragraph(self) -> None:
        """Begins a new paragraph."""
        if self._paragraphs[-1]:
            self._paragraphs.append([])

    def formula(self, line: str) -> None:
        """Adds a line of the formula: numbers and signs, the same in every language, or a rule's name ahead of them."""
        self._formulas.append(line)

    def refer(self, *keys: str) -> None:
        """Adds references ("ref.<key>"), each once."""
        for key in keys:
            text = self._texts.text(f"ref.{key}")
            if text not in self._references:
                self._references.append(text)

    def listed(self, items: Iterable[object]) -> Ready:
        """Items in a row, as the language separates them."""
        return Ready(self._texts.text("join.list").join(clean(str(i)) for i in items))

    def done(
        self, path: str, number: object, source: str, /, title: str = "title", **values: object
    ) -> ExplanationR:
        """The explanation. ``values`` fill the title."""
        space = self._texts.text("join.sentence")
        return {
            "key": clean(path, LONGEST),
            "value": number,
            "source": source,
            "title": self.words(title, **values),
            "text": "\n".join(space.join(p) for p in self._paragraphs if p),
            "formula": "\n".join(self._formulas) or None,
            "references": self._references,
        }


def _safe(value: object) -> object:
    return clean(value, LONGEST) if isinstance(value, str) and not isinstance(value, Ready) else value


def number(x: float) -> str:
    """ε as a config writes it: 1e-05, 0.001, 1.5625e-07."""
    return repr(float(x))


def closure(family: Family, *texts: str) -> set[str]:
    """The canonical keys that expressions read, through the family's lets."""
    found: set[str] = set()
    open_ = [n for text in texts if text for n in names_in(f"({text},)")]
    while open_:
        name = open_.pop()
        if name in found:
            continue
        found.add(name)
        rule = family.lets.get(name)
        if rule is not None:
            open_.extend(names_in(rule))
    return found & set(family.keys)
