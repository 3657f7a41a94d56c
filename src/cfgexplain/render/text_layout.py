"""Lines for a terminal: widths of wide characters, wrapping, colour, and an ASCII form of the signs that we draw with.

The widths are rich's (``rich.cells``), asked for only where a text has other signs than ours. Its console and tables
are not used: importing them takes some 30 ms, a fifth of what a bare Typer app takes to start, and what is here keeps
three promises that they make hard: nothing is ever cut, a name is never read as markup, and without colour there is
not one escape code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.render import Style

#: SGR codes of the few roles that colour has.
CODES: Final = {
    "title": "1", "head": "1;36", "dim": "2", "error": "1;31", "warning": "1;33", "note": "36", "key": "1",
    "formula": "36", "norm": "33", "attention": "35", "ffn": "32",
}  # fmt: skip
#: What stands for our own signs where the output's encoding lacks them. Drawing signs keep their width.
ASCII: Final = str.maketrans({
    "─": "-", "│": "|", "┌": "+", "└": "+", "├": "+", "┐": "+", "┘": "+", "┼": "+", "▶": ">", "◀": "<", "▼": "v",
    "θ": "theta", "π": "pi", "≤": "<=", "±": "+-",
    "⊕": "+", "█": "#", "·": "*", "×": "x", "→": "->", "←": "<-", "…": "...", "ε": "eps", "√": "sqrt ", "μ": "mu",
    "σ": "sigma", "α": "alpha", "β": "beta",
    "²": "^2", "Σ": "sum", "⊙": "*", "“": '"', "”": '"', "’": "'", "–": "-", "−": "-", "∈": "in",
    "\u00a0": " ",
})  # fmt: skip
#: The least and the greatest number of columns that running text fills, however wide the terminal.
NARROWEST: Final = 40
WIDEST: Final = 120
#: Wide punctuation that does not begin a line, and that does not end one.
_NOT_FIRST: Final = frozenset("，。、；：？！）」』】〉》”’…")
_NOT_LAST: Final = frozenset("（「『【〈《“‘")


class Ink(NamedTuple):
    """How to put text down in one style."""

    width: int
    color: bool
    unicode: bool

    @classmethod
    def of(cls, style: Style) -> Ink:
        """The ink for a style. A width of 0 is no terminal: text wraps at the widest, and nothing depends on it."""
        return cls(max(NARROWEST, min(style.width or 100, WIDEST)), style.color, style.unicode)

    def text(self, s: str) -> str:
        """Our own words, in signs that the output has."""
        return s if self.unicode else s.translate(ASCII)

    @property
    def dot(self) -> str:
        """What separates or opens items of a list; as a sign of multiplication the same dot becomes a star."""
        return "·" if self.unicode else "-"

    def name(self, s: object, limit: int = 0) -> str:
        """A stranger's word, made safe to print."""
        return clean(str(s), limit)

    def paint(self, s: str, role: str) -> str:
        """Coloured, where colour is allowed."""
        return f"\x1b[{CODES[role]}m{s}\x1b[0m" if self.color and s else s


def _narrow(s: str) -> bool:
    """Whether each character is known to take one column: ASCII and our own signs. Needs no table of Unicode's."""
    return s.isascii() or s.translate(ASCII).isascii()


def width_of(s: str) -> int:
    """Columns that a terminal gives to ``s`` (cleaned text: no control characters)."""
    if _narrow(s):
        return len(s)
    from rich.cells import cell_len

    return cell_len(s)


def pad(s: str, columns: int) -> str:
    """``s`` filled up with spaces; longer text stays whole."""
    return s + " " * (columns - width_of(s))


def tokens(s: str) -> Iterator[tuple[str, bool]]:
    """Pieces that stay together, each with whether a space stands before it. Wide characters break anywhere."""
    for word in s.split(" "):
        if not word:
            continue
        if _narrow(word):
            yield word, True
            continue
        from rich.cells import get_character_cell_size

        piece, spaced, wide_before = "", True, False
        for ch in word:
            wide = get_character_cell_size(ch) == 2
            if piece and (wide or wide_before) and ch not in _NOT_FIRST and piece[-1] not in _NOT_LAST:
                yield piece, spaced
                piece, spaced = "", False
            piece += ch
            wide_before = wide
        if piece:
            yield piece, spaced


def _pieces(s: str, columns: int) -> Iterator[tuple[str, bool]]:
    """``tokens``, of which one that is longer than a line may break behind the commas between its braces."""
    for word, spaced in tokens(s):
        head, brace, rest = word.partition("{")
        if width_of(word) <= columns or not brace or "," not in rest:
            yield word, spaced
            continue
        *members, last = (head + brace + rest).split(",")
        for k, member in enumerate([*(m + "," for m in members), last]):
            yield member, spaced and not k


def wrap(s: str, columns: int) -> list[str]:
    """``s`` in lines of at most so many columns. A word longer than a line stays whole: names are never cut, but a list
    of layers in one may go on in the next line."""
    lines: list[str] = []
    line, used = "", 0
    for word, spaced in _pieces(s, columns):
        size = width_of(word)
        gap = 1 if spaced and line else 0
        if line and used + gap + size > columns:
            lines.append(line)
            line, used, gap = "", 0, 0
        line += " " * gap + word
        used += gap + size
    if line:
        lines.append(line)
    return lines or [""]


def joined(parts: list[str], mark: str, columns: int) -> list[str]:
    """Parts in lines that break between them, behind the mark; only a part that no line holds is broken itself."""
    lines: list[str] = []
    for k, part in enumerate(parts):
        room = columns - (width_of(mark.rstrip()) if k < len(parts) - 1 else 0)
        if lines and width_of(lines[-1]) + width_of(mark) + width_of(part) <= room:
            lines[-1] += mark + part
        else:
            if lines:
                lines[-1] += mark.rstrip()
            lines.extend(wrap(part, room))
    return lines


def indented(lines: Iterable[str], first: str, rest: str | None = None) -> Iterator[str]:
    """Lines behind a prefix: ``first`` before the first, ``rest`` (spaces of the same width) before the others."""
    after = " " * width_of(first) if rest is None else rest
    for k, line in enumerate(lines):
        yield (first if k == 0 else after) + line


def aligned(lines: list[str], columns: int) -> list[str]:
    """Equations under each other at their first `` = ``, where all of them fit; a line with a colon heads them."""
    parts = [line.partition(" = ") for line in lines]
    if len(parts) < 2 or not all(mark or a.endswith((":", "：")) for a, mark, _ in parts):
        return lines
    left = max((width_of(a) for a, mark, _ in parts if mark), default=0)
    out = [f"{pad(a, left)} = {b}" if mark else a for a, mark, b in parts]
    return out if all(width_of(x) <= columns for x in out) else lines
