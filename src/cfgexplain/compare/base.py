"""What a comparison is made of: two models read through, and the differences between them, free of language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from cfgexplain.report import Report
    from cfgexplain.subject import Subject

#: What a difference does, gravest first. "loading": weights of one do not fit the other. "function": they fit, and the
#: model computes something else, without a word. "usage": how it is run or prompted. "bookkeeping": nothing.
Gravity = Literal["loading", "function", "usage", "bookkeeping"]
ORDER: Final[dict[str, int]] = {"loading": 0, "function": 1, "usage": 2, "bookkeeping": 3}


class Side(NamedTuple):
    """One of the two models: as read, and its facts."""

    subject: Subject
    report: Report


class KeyChange(NamedTuple):
    """One number of the config that differs.

    Attributes:
        key: dotted path in B's config, or in A's where B has none.
        canonical: the family's name for it ("" for a key that no table names), behind the part's name and a dot for
            a model inside the model (``vision.eps``).
        a, b: the values; None where a side has none.
        a_source, b_source: "config", "default" or "derived"; None where a side has no such key.
        text: catalogue key of the consequence.
    """

    key: str
    canonical: str
    a: object
    b: object
    a_source: str | None
    b_source: str | None
    gravity: Gravity
    text: str


class Change(NamedTuple):
    """One property of the architecture that differs; ``aspect`` (``norm.eps``) is its stable name and its text's key.

    ``key`` is the dotted config key in B that it comes from, or None where B's config has none.
    """

    aspect: str
    a: object
    b: object
    gravity: Gravity
    key: str | None = None


class TensorInfo(NamedTuple):
    """A tensor, stored or expected, as the comparison sees it.

    Attributes:
        id: what it is compared by: its name within its own model, behind the part's name.
        name: full name in the family's spelling; as stored for a name that no table has.
        stored: as stored.
        weight: ``id`` of the weight that a bias belongs to, "" for other tensors.
        place: (part and stack, layer): which layer of which stack it is in; layer None outside.
        form: (group, form) where the architecture has several ways to store it.
        params: logical parameters, None where codes do not show how many.
        packed: codes of a quantized weight whose header does not show the logical shape.
    """

    id: str
    name: str
    stored: str
    shape: tuple[int, ...] | None
    dtype: str
    role: str
    params: int | None
    main: bool
    weight: str
    place: tuple[str, int | None]
    form: tuple[str, str]
    packed: bool


class Reshaped(NamedTuple):
    """One tensor on both sides, of different shapes or dtypes."""

    a: TensorInfo
    b: TensorInfo


class Regrouped(NamedTuple):
    """The same parameters, stored in another way: experts one by one or stacked, matrices fused or apart."""

    group: str
    a_form: str
    b_form: str
    a: tuple[TensorInfo, ...]
    b: tuple[TensorInfo, ...]


class TensorChanges(NamedTuple):
    """How two tables of tensors differ.

    Attributes:
        compared: tensors on both sides; ``renamed``: of these, stored under other names.
        only_a, only_b: layers (stack, index) of which the other side has nothing at all.
    """

    compared: int = 0
    renamed: int = 0
    added: tuple[TensorInfo, ...] = ()
    removed: tuple[TensorInfo, ...] = ()
    reshaped: tuple[Reshaped, ...] = ()
    retyped: tuple[Reshaped, ...] = ()
    regrouped: tuple[Regrouped, ...] = ()
    only_a: frozenset[tuple[str, int | None]] = frozenset()
    only_b: frozenset[tuple[str, int | None]] = frozenset()


class Count(NamedTuple):
    """Parameters (or bytes) of one role on both sides, where they differ."""

    name: str
    a: int | None
    b: int | None


class Differences(NamedTuple):
    """All of it. ``tensors`` is None where one side was read without weights, and where none stands for another.

    ``related``: both are of one kind, so that tensors correspond.
    """

    config: tuple[KeyChange, ...]
    structure: tuple[Change, ...]
    tensors: TensorChanges | None
    params: tuple[Count, ...]
    roles: tuple[Count, ...]
    related: bool = True

    @property
    def same(self) -> bool:
        """Whether these are the same model: nothing differs but bookkeeping and names."""
        t = self.tensors
        return (
            self.related
            and all(c.gravity == "bookkeeping" for c in self.config)
            and not self.structure
            and not (t and (t.added or t.removed or t.reshaped or t.retyped or t.regrouped))
            and not any(r.a is not None and r.b is not None for r in self.roles)
        )
