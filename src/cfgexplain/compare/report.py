"""A comparison as renderers and scripts see it: what ``diff --format json`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from cfgexplain.report import TargetR


class KeyR(TypedDict):
    key: str
    canonical: str | None
    aspect: str | None
    a: object
    b: object
    a_source: str | None
    b_source: str | None
    gravity: str
    text: str


class AspectR(TypedDict):
    aspect: str
    title: str
    a: object
    b: object
    gravity: str
    text: str


class FormR(TypedDict):
    shape: list[int] | None
    dtype: str | None


class GroupR(TypedDict):
    tensors: list[str]
    count: int
    role: str | None
    params: int | None
    a: FormR | None
    b: FormR | None
    gravity: str
    text: str


class RegroupedR(TypedDict):
    group: str
    a_form: str
    b_form: str
    a_tensors: list[str]
    b_tensors: list[str]
    gravity: str
    text: str


class TensorsR(TypedDict):
    compared: int
    renamed: int
    added: list[GroupR]
    removed: list[GroupR]
    reshaped: list[GroupR]
    retyped: list[GroupR]
    regrouped: list[RegroupedR]


class CountR(TypedDict):
    a: int | None
    b: int | None
    change: int | None


class ParamsDiffR(TypedDict):
    total: CountR
    active: CountR
    bytes: CountR
    by_role: dict[str, CountR]


class DiffR(TypedDict):
    """``tensors`` is null where one side was read without weights, and where the two are not ``related``."""

    a: TargetR
    b: TargetR
    same: bool
    related: bool
    config: list[KeyR]
    structure: list[AspectR]
    tensors: TensorsR | None
    params: ParamsDiffR
