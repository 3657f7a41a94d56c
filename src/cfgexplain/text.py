"""Names and values from files, made safe to print.

A tensor's name, a config's key, a file's name: all come from strangers, and a terminal obeys what it is sent.
Everything that is printed goes through :func:`clean`.
"""

from __future__ import annotations

from typing import Final

#: Code points that move the cursor, change the direction of text, or cannot be seen. First and last of each range.
#: Written out, not asked of ``unicodedata``, so that every Python prints the same. Sources: Unicode 16 (categories
#: Cc and Cf, surrogates, non-characters, Default_Ignorable_Code_Point) and "Trojan Source" (Boucher & Anderson 2021).
_UNSAFE: Final = (
    (0x00, 0x1F),  # C0: ESC, BEL, backspace, new line, …
    (0x7F, 0x9F),  # DEL and C1, where 0x9B is a one-byte CSI
    (0xAD, 0xAD),  # soft hyphen
    (0x34F, 0x34F),  # combining grapheme joiner
    (0x600, 0x605),
    (0x61C, 0x61C),  # Arabic letter mark
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),  # zero-width characters, direction marks
    (0x2028, 0x202E),  # line and paragraph separators, bidirectional embeddings and overrides
    (0x2060, 0x206F),  # word joiner, invisible operators, bidirectional isolates
    (0x3164, 0x3164),
    (0xD800, 0xDFFF),  # lone surrogates: cannot be encoded at all
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),  # tags, more variation selectors
)


def clean(s: str, limit: int = 0) -> str:
    r"""``s`` with all that a terminal would obey or hide written as a visible escape.

    ``\x1b``, ``\u202e``, ``\U000e0041``. Cleaning twice changes nothing more. Backslashes of the text itself stay.

    Args:
        s: any text, lone surrogates included.
        limit: longest result in characters, or 0 for no limit. What is cut off is marked with ``…``; an escape is
            never cut in two.
    """
    if limit and len(s) > limit:
        return _shortened(s, limit)
    if s.isprintable():
        return _unless_unsafe(s)
    escaped = "".join(map(_visible, s))
    return _shortened(s, limit) if limit and len(escaped) > limit else escaped


def _unless_unsafe(s: str) -> str:
    # Nearly every name is ASCII. isprintable() passes fillers and selectors, which are letters and marks to Unicode.
    return s if s.isascii() else "".join(map(_visible, s))


def _shortened(s: str, limit: int) -> str:
    room = limit - 1
    parts: list[str] = []
    for char in s:
        part = _visible(char)
        room -= len(part)
        if room < 0:
            break
        parts.append(part)
    return "".join(parts) + "…"


def _visible(char: str) -> str:
    code = ord(char)
    for first, last in _UNSAFE:
        if code < first:
            return char
        if code <= last:
            return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return char


def readable(text: str) -> str:
    r"""A word of the command line as it was typed.

    Where the locale has no UTF-8, Python hands its bytes over as lone surrogates: they are shown as the text that they
    are, and what is no UTF-8 as ``\xe8``.
    """
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return text  # other surrogates, from a file: escaped where they are printed
