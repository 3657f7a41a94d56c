"""What is wrong with a file that should be JSON and is not, in words that help."""

from __future__ import annotations

from typing import Final

from cfgexplain.errors import CfgexplainError
from cfgexplain.text import clean

#: Characters of a line that are shown around a fault.
_SHOWN: Final = 60
_BOMS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
    (b"{\x00", "UTF-16"),
    (b"\x00{", "UTF-16"),
)
#: Python's words for what it met, the library's, and ours. The first that the message starts with.
_WORDS: Final = (
    ("Expecting property name", "a key in double quotes is missing here"),
    ("Expecting ':' delimiter", "a colon is missing here"),
    ("Expecting ',' delimiter", "a comma is missing here, or a bracket"),
    ("Expecting value", "a value is missing here"),
    ("Unterminated string", "a text that begins here has no closing quote"),
    ("Invalid control character", "a control character or line break inside a text"),
    ("Invalid \\", "a backslash that begins no escape of JSON"),
    ("Extra data", "something follows after the end of the JSON"),
)
_FIX: Final = "Correct the file at that place; `python -m json.tool FILE` tells whether it is JSON."


def not_text(data: bytes, file: str) -> CfgexplainError | None:
    """The error of a file that is empty or something else altogether, or None where it may be JSON."""
    name = clean(file)
    start = data[:256].removeprefix(b"\xef\xbb\xbf").lstrip()
    if not data.strip(b" \t\r\n\xef\xbb\xbf"):
        return CfgexplainError("invalid-config", f"{name} is empty", "Download the file again.")
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            hint = "Save it as UTF-8: JSON files of models always are."
            return CfgexplainError("invalid-config", f"{name} is {encoding} text, not UTF-8", hint)
    if start.startswith(b"version https://git-lfs"):
        return CfgexplainError("invalid-config", f"{name} is a Git LFS pointer, not the file itself", "git lfs pull")
    if start.startswith(b"<<<<<<<"):
        return CfgexplainError("invalid-config", f"{name} holds the marks of a merge conflict", "Resolve the conflict.")
    if start.startswith(b"<"):
        hint = "Download it again, and look at what the server answers: a login page or a missing file look so."
        return CfgexplainError("invalid-config", f"{name} is HTML or XML, not JSON", hint)
    return None


def not_json(text: str, message: str, at: int, file: str) -> CfgexplainError:
    """The error of a text that ceases to be JSON.

    Args:
        text: all of it.
        message: Python's words for what is wrong, or other words for it.
        at: where, in characters from 0.
        file: its name.
    """
    at, what = _what(text, message, at)
    start = text.rfind("\n", 0, at) + 1
    stop = text.find("\n", at)
    line = text[start : len(text) if stop < 0 else stop]
    number, column = text.count("\n", 0, at) + 1, at - start + 1
    first = max(0, column - 1 - _SHOWN // 2) if len(line) > _SHOWN else 0
    shown = clean(line[first : first + _SHOWN].strip(), 2 * _SHOWN)
    excerpt = f"{'…' if first else ''}{shown}{'…' if first + _SHOWN < len(line) else ''}"
    where = f"{clean(file)}, line {number:,}, column {column:,}"
    words = f"{where}: {what}{': ' if excerpt else ''}{excerpt}"
    return CfgexplainError("invalid-config", words, _FIX, (number, column))


def _what(text: str, message: str, at: int) -> tuple[int, str]:
    """Where the fault really is, and what it is. Python before 3.13 blames what follows a trailing comma."""
    before = len(text[max(0, at - 10_000) : at].rstrip()) + max(0, at - 10_000)
    here = text[at : at + 1]
    if message.startswith("Illegal trailing comma"):
        return at, "a comma before the closing bracket, which JSON does not allow"
    if here in ("}", "]") and here and text[before - 1 : before] == ",":
        return before - 1, "a comma before the closing bracket, which JSON does not allow"
    if not here or not text[at:].strip():
        return max(before - 1, 0), "the file ends too early: a bracket, quote or value is missing"
    if message.startswith(("Expecting value", "Expecting property name")):
        if here == "'":
            return at, "single quotes, where JSON takes double quotes"
        if here in ("/", "#"):
            return at, "a comment, which JSON does not have"
        for word, right in (("True", "true"), ("False", "false"), ("None", "null")):
            if text.startswith(word, at):
                return at, f"{word}, which is Python; JSON writes {right}"
    for begins, words in _WORDS:
        if message.startswith(begins):
            return at, words
    return at, message[:1].lower() + message[1:]
