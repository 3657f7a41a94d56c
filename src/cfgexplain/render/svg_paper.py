"""What drawings are put down with: boxes, wires, text that is safe and fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MARKUP: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
#: Letters narrower and wider than most.
_THIN: Final = frozenset("iljtfrI.,:;|!'()[]{} ·-")
_FAT: Final = frozenset("mwMW@%QOGD")


def esc(s: object) -> str:
    """Anything as text of a document: no markup, no control character, nothing invisible."""
    return clean(str(s)).translate(_MARKUP)


def measure(s: str, size: float, mono: bool = False) -> float:
    """Width of a line, a little too much rather than too little: nobody knows the reader's font."""
    if mono:
        return sum(size if ord(c) > 0x2E7F else 0.61 * size for c in s)
    ems = 0.0
    for c in s:
        ems += 1.0 if ord(c) > 0x2E7F else 0.36 if c in _THIN else 0.92 if c in _FAT else 0.6
    return ems * size


def fit(s: str, room: float, size: float, mono: bool = False, tail: bool = True) -> str:
    """``s`` cut to a width; the end of a module's name says more than its beginning, so a mono text keeps its end
    unless ``tail`` is False."""
    s = clean(s, 400)
    if measure(s, size, mono) <= room:
        return s
    ending = mono and tail
    while ending and "." in s:
        s = s.partition(".")[2]
        if measure("…" + s, size, mono) <= room and not s[:1].isdecimal():
            return "…" + s
    while s and measure(s + "…", size, mono) > room:
        s = s[1:] if ending else s[:-1]
    return "…" + s if ending else s.rstrip() + "…"


def tails(names: Sequence[str], rooms: Sequence[float], size: float) -> list[str]:
    """Modules' names cut alike: each without its first parts, as many from all as the tightest room asks for."""
    parts = [clean(n, 400).split(".") for n in names]
    for k in range(max(map(len, parts), default=0)):
        cut = [p if k == 0 or len(p) <= k else ["…" + p[k], *p[k + 1 :]] for p in parts]
        if any(c[0].strip("…").isdecimal() for c in cut):
            continue
        if all(measure(".".join(c), size, True) <= room for c, room in zip(cut, rooms, strict=True)):
            return [".".join(c) for c in cut]
    return [fit(n, room, size, True) for n, room in zip(names, rooms, strict=True)]


def broken(s: str, room: float, size: float, mono: bool = False) -> list[str]:
    """``s`` in lines of at most a width; wide characters break anywhere."""
    from cfgexplain.render.text_layout import tokens

    lines: list[str] = []
    line = ""
    for word, spaced in tokens(s):
        longer = f"{line} {word}" if line and spaced else line + word
        if line and measure(longer, size, mono) > room:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line] if line else lines or [""]


class Paper:
    """A drawing in the making.

    Attributes:
        out: its elements.
        ident: prefix of every id in it, so that several drawings can stand in one page.
        marks: aspects (``norm.eps``) in which this model differs from another.
        hits: how many marked parts were drawn.
    """

    __slots__ = ("hits", "ident", "marks", "out")

    def __init__(self, ident: str = "p", marks: Iterable[str] = ()) -> None:
        self.out: list[str] = []
        self.ident = ident
        self.marks = frozenset(marks)
        self.hits = 0

    def text(
        self, x: float, y: float, s: object, cls: str = "", anchor: str = "middle", full: str = "", part: str = ""
    ) -> None:
        """A line of text; ``full`` is what a pointer shows where the line is cut."""
        more = f' class="{cls}"' if cls else ""
        if anchor != "start":
            more += f' text-anchor="{anchor}"'
        if part:
            more += f' data-part="{part}"'
        tip = f"<title>{esc(full)}</title>" if full and clean(full) != s else ""
        self.out.append(f'<text x="{x:g}" y="{y:g}"{more}>{tip}{esc(s)}</text>')

    def box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        kind: str,
        aspects: Sequence[str] = (),
        cls: str = "box",
        r: float = 7,
        part: str = "",
        value: str = "",
    ) -> None:
        """A rounded box; marked where one of its aspects differs. ``part`` and ``value`` are for tests and scripts."""
        hit = bool(self.marks.intersection(aspects))
        more = (f' data-part="{part}"' if part else "") + (f' data-value="{esc(value)}"' if value else "")
        self.out.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{r:g}" '
            f'class="{cls} {kind}{" hit" if hit else ""}"{more}/>'
        )
        if hit:
            self.flag(x + w, y)

    def cell(self, x: float, y: float, w: float, h: float, cls: str, r: float = 1.5) -> None:
        """One of many small boxes."""
        self.out.append(f'<rect x="{x:.2f}" y="{y:.2f}" width="{w:.2f}" height="{h:g}" rx="{r:g}" class="cell {cls}"/>')

    def flag(self, x: float, y: float) -> None:
        """The sign of a difference on a corner."""
        self.hits += 1
        self.out.append(f'<circle cx="{x:g}" cy="{y + 2:g}" r="9" class="flag"/>')
        self.text(x, y + 6.5, "≠", "b flagged")

    def shape(self, points: Sequence[tuple[float, float]], kind: str, aspects: Sequence[str] = ()) -> None:
        """A closed shape."""
        hit = bool(self.marks.intersection(aspects))
        at = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.out.append(f'<polygon points="{at}" class="box {kind}{" hit" if hit else ""}" stroke-linejoin="round"/>')
        if hit:
            self.flag(*points[1])

    def wire(self, points: Sequence[tuple[float, float]], tip: bool = False, cls: str = "wire") -> None:
        """A line with rounded corners, with an arrow at its end where ``tip`` is set."""
        pts = list(points)
        d = [f"M{pts[0][0]:g} {pts[0][1]:g}"]
        for k in range(1, len(pts)):
            x, y = pts[k]
            if k == len(pts) - 1:
                d.append(f"L{x:g} {y:g}")
                continue
            (px, py), (nx, ny) = pts[k - 1], pts[k + 1]
            near, far = _toward((x, y), (px, py)), _toward((x, y), (nx, ny))
            d.append(f"L{near[0]:g} {near[1]:g}Q{x:g} {y:g} {far[0]:g} {far[1]:g}")
        self.out.append(f'<path d="{"".join(d)}" class="{cls}"/>')
        if tip:
            self.tip(pts[-2], pts[-1])

    def tip(self, before: tuple[float, float], at: tuple[float, float], size: float = 7) -> None:
        """The head of an arrow that comes from ``before``."""
        (px, py), (x, y) = before, at
        if abs(x - px) > abs(y - py):
            s = size if px < x else -size
            pts = f"{x:g},{y:g} {x - s:g},{y - 4:g} {x - s:g},{y + 4:g}"
        else:
            s = size if py < y else -size
            pts = f"{x:g},{y:g} {x - 4:g},{y - s:g} {x + 4:g},{y - s:g}"
        self.out.append(f'<polygon points="{pts}" class="tip"/>')

    def plus(self, x: float, y: float, sign: str = "+", r: float = 9) -> None:
        """A sum or a product of two ways."""
        self.out.append(f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" class="sum"/>')
        a = r * 0.55
        if sign == "+":
            d = f"M{x - a:g} {y:g}H{x + a:g}M{x:g} {y - a:g}V{y + a:g}"
        else:
            a *= 0.75
            d = f"M{x - a:g} {y - a:g}L{x + a:g} {y + a:g}M{x + a:g} {y - a:g}L{x - a:g} {y + a:g}"
        self.out.append(f'<path d="{d}" class="wire"/>')

    def open(self, part: str, **data: str) -> None:
        """A group, by what it is."""
        more = "".join(f' data-{k.replace("_", "-")}="{esc(v)}"' for k, v in data.items())
        self.out.append(f'<g data-part="{part}"{more}>')

    def close(self) -> None:
        """The end of a group."""
        self.out.append("</g>")


def _toward(at: tuple[float, float], to: tuple[float, float], r: float = 8) -> tuple[float, float]:
    (x, y), (tx, ty) = at, to
    length = ((tx - x) ** 2 + (ty - y) ** 2) ** 0.5
    if not length:
        return at
    k = min(r, length / 2) / length
    return x + (tx - x) * k, y + (ty - y) * k
