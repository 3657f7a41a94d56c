"""Folding of numbered names into ranges, and back: ``model.layers.{0-31}.self_attn.q_proj.bias``.

Only whole dotted segments fold, and only decimal numbers without leading zeros. One pattern stands for the full
product of its ranges, so a pattern never claims a name that was not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Numbers longer than this are text: nothing has that many layers, and a range over them could not be counted.
_DIGITS: Final = 9

#: Positions that may vary in one pattern; later numbers of a name are text. Real names have two or three.
_POSITIONS: Final = 8

_Key = tuple[tuple[int, int, str], ...]
_Values = tuple[int, ...]


def _is_number(segment: str) -> bool:
    return (
        segment.isdigit() and segment.isascii() and len(segment) <= _DIGITS and (segment[0] != "0" or len(segment) == 1)
    )


def natural_key(name: str) -> _Key:
    """A sort key under which ``layers.2`` comes before ``layers.10``, and numbers before words."""
    return tuple((0, int(s), "") if _is_number(s) else (1, 0, s) for s in name.split("."))


def ranges(values: Iterable[int]) -> str:
    """Sorted distinct numbers as ``0-3,5,7-9``."""
    parts: list[str] = []
    first = last = -2
    for v in values:
        if v == last + 1:
            last = v
            continue
        if last >= 0:
            parts.append(str(first) if first == last else f"{first}-{last}")
        first = last = v
    if last >= 0:
        parts.append(str(first) if first == last else f"{first}-{last}")
    return ",".join(parts)


def _products(rows: list[_Values]) -> list[tuple[_Values, ...]]:
    """Covers distinct sorted rows of equal length exactly, by disjoint products of value sets.

    The last position is gathered per prefix; prefixes with equal sets are then covered in the same way.
    """
    if len(rows[0]) == 1:
        return [(tuple(r[0] for r in rows),)]
    tails: dict[_Values, list[int]] = {}
    for r in rows:
        tails.setdefault(r[:-1], []).append(r[-1])
    heads: dict[_Values, list[_Values]] = {}
    for prefix, tail in tails.items():
        heads.setdefault(tuple(tail), []).append(prefix)
    return [(*product, tail) for tail, prefixes in heads.items() for product in _products(prefixes)]


def _segment(text: str) -> str:
    """A literal segment. One that opens with a brace has it doubled, so that ``unfold`` gives the name back."""
    return "{" + text if text.startswith("{") else text


def fold(names: Iterable[str]) -> list[str]:
    """Folds names into patterns, in natural order of each pattern's first name.

    Equal names count once. Time is linear in the names but for sorting.
    """
    groups: dict[tuple[str | None, ...], list[_Values]] = {}
    # Names have few different segments: each is looked at once.
    known: dict[str, int | None] = {}
    for name in dict.fromkeys(names):
        template: list[str | None] = []
        numbers: list[int] = []
        for s in name.split("."):
            if s in known:
                number = known[s]
            else:
                number = known[s] = int(s) if _is_number(s) else None
            if number is not None and len(numbers) < _POSITIONS:
                template.append(None)
                numbers.append(number)
            else:
                template.append(s)
        groups.setdefault(tuple(template), []).append(tuple(numbers))
    out: list[tuple[_Key, str]] = []
    for shape, rows in groups.items():
        if not rows[0]:
            name = ".".join([s or "" for s in shape])
            out.append((natural_key(name), ".".join([_segment(s or "") for s in shape])))
            continue
        rows.sort()
        for product in _products(rows):
            values = iter(product)
            key: list[tuple[int, int, str]] = []
            text: list[str] = []
            for literal in shape:
                if literal is None:
                    numbers_here = next(values)
                    key.append((0, numbers_here[0], ""))
                    one = ranges(numbers_here)
                    text.append(one if len(numbers_here) == 1 else "{" + one + "}")
                else:
                    key.append((1, 0, literal))
                    text.append(_segment(literal))
            out.append((tuple(key), ".".join(text)))
    out.sort()
    return [text for _, text in out]


def _number(text: str, segment: str) -> int:
    if not _is_number(text):
        raise ValueError(f"{segment!r} is not a range of numbers")
    return int(text)


def _expand(segment: str) -> tuple[int, list[range] | str]:
    """How many values a segment of a pattern stands for, and which. Raises ValueError where it is no range."""
    if segment.startswith("{{"):
        return 1, segment[1:]
    if not segment.startswith("{"):
        return 1, segment
    if not segment.endswith("}"):
        raise ValueError(f"{segment!r} opens a range and does not close it")
    spans: list[range] = []
    after = -1
    for part in segment[1:-1].split(","):
        low, dash, high = part.partition("-")
        first = _number(low, segment)
        last = _number(high, segment) if dash else first
        if first <= after or last < first:
            raise ValueError(f"{segment!r} is not in rising order")
        spans.append(range(first, last + 1))
        after = last
    return sum(len(s) for s in spans), spans


def unfold(pattern: str, cap: int) -> Iterator[str]:
    """The names that a pattern stands for, the last number running fastest.

    Raises ValueError, before the first name, for a malformed range or for more than ``cap`` names.
    """
    total = 1
    segments: list[list[range] | str] = []
    for part in pattern.split("."):
        count, segment = _expand(part)
        total *= count
        segments.append(segment)
        if total > cap:
            raise ValueError(f"{pattern!r} stands for more than {cap:,} names")
    return _names(segments)


def _names(segments: list[list[range] | str]) -> Iterator[str]:
    choices: list[list[str]] = []
    fixed: list[str] = []
    for s in segments:
        if isinstance(s, str):
            fixed.append(s.replace("%", "%%"))
        else:
            fixed.append("%s")
            choices.append([str(n) for span in s for n in span])
    template = ".".join(fixed)
    if not choices:
        yield template % ()
        return
    from itertools import product

    for numbers in product(*choices):
        yield template % numbers
