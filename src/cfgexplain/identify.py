"""Which family a config belongs to, and which of its model classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cfgexplain.families.schema import Family


def class_of(family: Family, architectures: object) -> str:
    """The class suffix (``ForCausalLM``, ``Model``) of ``architectures[0]``; the family's usual one without it.

    The longest head of the family that the class name ends with wins. A class that the table does not know
    keeps its own suffix, so that its head counts as unknown and not as absent.
    """
    name = architectures[0] if isinstance(architectures, list) and architectures else None
    if not isinstance(name, str):
        return family.head
    known = [h for h in family.heads if name.endswith(h)]
    if known:
        return max(known, key=len)
    at = name.rfind("For")
    if at > 0 and not name[at + 3:at + 4].islower():  # "RoFormerModel" has no task in its name
        return name[at:]
    return "Model" if name.endswith("Model") else name
