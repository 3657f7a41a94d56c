"""What can go wrong with an input, as values with a message and a hint.

Every error says in one line what happened to which file, and in another what to do.
A bug is never one of these: it reaches the top as the exception it is, and exits 70.
"""

from __future__ import annotations

from typing import Final, Literal

ErrorKind = Literal[
    "usage",
    "not-found",
    "gated",
    "unauthorized",
    "revision-not-found",
    "no-config",
    "no-weights",
    "network",
    "rate-limited",
    "invalid-config",
    "invalid-header",
    "invalid-index",
    "unreadable",
    "unsupported",
    "internal",
]

#: Exit code 2: the command line is wrong. Everything else that stops a target is 3.
USAGE_KINDS: Final = frozenset({"usage"})


class CfgexplainError(Exception):
    """An input that cannot be inspected.

    Attributes:
        kind: the stable word that scripts see as ``error.kind``.
        message: one line, what happened to which file. May hold names from files: renderers escape it.
        hint: one line, what to do about it, or "".
        at: line and column of the config, from 1, where the fault is in its text; None elsewhere.
    """

    def __init__(self, kind: ErrorKind, message: str, hint: str = "", at: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message
        self.hint = hint
        self.at = at


class HeaderError(CfgexplainError):
    """A safetensors header that cannot be listed.

    Attributes:
        rule: the rule of the format that is broken, a stable kebab-case word (``length-cap``, ``not-utf8``, …).
        tensor: the name of the tensor that breaks it, or None where the rule is about the whole header.
    """

    def __init__(self, rule: str, message: str, hint: str = "", tensor: str | None = None) -> None:
        super().__init__("invalid-header", message, hint)
        self.rule = rule
        self.tensor = tensor
