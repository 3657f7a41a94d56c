"""Texts by language.

Adding a language: one entry in ``LANGUAGES``, its beginnings and a sample in ``choice``, and its modules beside those
of English with the same keys and placeholders. tests/test_languages.py holds them to it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import ModuleType

#: Language tag → module.
LANGUAGES: Final[dict[str, str]] = {"en": "en", "zh-Hant": "zh_hant"}


class Catalogue:
    """One language's texts.

    ``FINDINGS``: "check.key" → (message, hint). ``RULES``: check → page. ``TEXTS``: key → text; more of them in
    ``<language>_later`` and, beside the drawing, ``<language>_remarks``.
    A text that is not translated is given in English rather than not at all; the tests find it.
    """

    __slots__ = ("_module", "_rest")

    def __init__(self, module: ModuleType, rest: str | None) -> None:
        """``rest`` is the language that has what the module lacks; English has none."""
        self._module = module
        self._rest = rest

    def finding(self, check: str, key: str) -> tuple[str, str]:
        """Message and hint templates of a finding."""
        known: dict[str, tuple[str, str]] = self._module.FINDINGS
        name = f"{check}.{key}"
        return known[name] if name in known or self._rest is None else catalogue(self._rest).finding(check, key)

    def hints(self, check: str) -> list[str]:
        """The hint templates of a check's findings, in the order of the catalogue."""
        known: dict[str, tuple[str, str]] = self._module.FINDINGS
        return [hint for name, (_, hint) in known.items() if name.partition(".")[0] == check and hint]

    def text(self, key: str) -> str:
        """One text. Those that a usual run does not need are in a module of their own, imported when one is wanted."""
        found: str | None = self._module.TEXTS.get(key)
        if found is not None:
            return found
        part = "remarks" if key.startswith("text.draw.") else "later"
        later: dict[str, str] = import_module(f"{self._module.__name__}_{part}").TEXTS
        return later[key] if key in later or self._rest is None else catalogue(self._rest).text(key)

    def rule(self, check: str) -> dict[str, str]:
        """The manual page of a check: says, why, example, references."""
        known: dict[str, dict[str, str]] = import_module(f"{self._module.__name__}_rules").RULES
        return known[check] if check in known or self._rest is None else catalogue(self._rest).rule(check)


@cache
def catalogue(lang: str) -> Catalogue:
    """The texts of a language; English where it is not known."""
    name = LANGUAGES.get(lang, "en")
    return Catalogue(import_module(f"cfgexplain.lang.{name}"), None if name == "en" else "en")
