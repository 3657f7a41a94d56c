"""Texts by language. Adding a language is adding one module with the same keys as ``en``."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import ModuleType

#: Language tag → module.
LANGUAGES: Final[dict[str, str]] = {"en": "en"}


class Catalogue:
    """One language's texts.

    ``FINDINGS``: "check.key" → (message, hint). ``RULES``: check → page. ``TEXTS``: key → text; more of them in
    ``<language>_later``.
    """

    __slots__ = ("_module",)

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def finding(self, check: str, key: str) -> tuple[str, str]:
        """Message and hint templates of a finding."""
        found: tuple[str, str] = self._module.FINDINGS[f"{check}.{key}"]
        return found

    def text(self, key: str) -> str:
        """One text. Those that a usual run does not need are in a module of their own, imported when one is wanted."""
        found: str | None = self._module.TEXTS.get(key)
        if found is None:
            later: dict[str, str] = import_module(f"{self._module.__name__}_later").TEXTS
            return later[key]
        return found

    def rule(self, check: str) -> dict[str, str]:
        """The manual page of a check: says, why, example, references."""
        found: dict[str, str] = import_module(f"{self._module.__name__}_rules").RULES[check]
        return found


@cache
def catalogue(lang: str) -> Catalogue:
    """The texts of a language; English where it is not known."""
    return Catalogue(import_module(f"cfgexplain.lang.{LANGUAGES.get(lang, 'en')}"))
