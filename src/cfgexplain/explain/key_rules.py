"""How a value is derived, for people: the table's expression with the config's own key names, where it is arithmetic.

Anything else (conditions, lists, functions of a family file) is only said to follow from the keys that it reads.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from cfgexplain.explain.base import closure

if TYPE_CHECKING:
    from collections.abc import Callable

    from cfgexplain.families.schema import Family

SIGNS: Final[dict[type[ast.operator], str]] = {
    ast.Add: " + ", ast.Sub: " − ", ast.Mult: " × ", ast.Div: " / ", ast.FloorDiv: " / ",
}  # fmt: skip
#: Functions that mean the same to a reader.
PLAIN: Final = frozenset({"ceil", "floor", "max", "min", "sqrt"})


class _OtherError(Exception):
    """Not arithmetic."""


def arithmetic(rule: str, family: Family, spelled: Callable[[str], str] = str) -> str:
    """``hidden // heads`` as "hidden_size / num_attention_heads", or "" where a formula does not say it."""
    try:
        return _text(ast.parse(rule, mode="eval").body, family, spelled)
    except (SyntaxError, _OtherError):
        return ""


def sources(rule: str, family: Family, spelled: Callable[[str], str] = str) -> list[str]:
    """The config's keys that a rule reads."""
    found = closure(family, rule)
    keys = [family.keys[n].names for n in family.keys if n in found]
    return list(dict.fromkeys(spelled(names[0]) for names in keys if names))


def constant(rule: str) -> object:
    """The value of a rule that is none, such as a tuple; None for any other."""
    try:
        value: object = ast.literal_eval(rule)
    except (ValueError, SyntaxError):
        return None
    return list(value) if isinstance(value, tuple) else value


def _text(node: ast.expr, family: Family, spelled: Callable[[str], str], inner: bool = False) -> str:
    if isinstance(node, ast.Name):
        key = family.keys.get(node.id)
        if key is None or not key.names or node.id in family.lets:
            raise _OtherError
        return spelled(key.names[0])
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return str(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
        both = (_text(x, family, spelled, True) for x in (node.left, node.right))
        text = SIGNS[type(node.op)].join(both)
        return f"({text})" if inner else text
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id == "int" and len(node.args) == 1:
            return _text(node.args[0], family, spelled, inner)
        if node.func.id in PLAIN:
            return f"{node.func.id}({', '.join(_text(x, family, spelled) for x in node.args)})"
    raise _OtherError


__all__ = ["arithmetic", "constant", "sources"]
