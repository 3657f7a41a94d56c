"""Which language a run speaks: what the command line says, else the environment's, if the output can show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.lang import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Of the environment, the first that is set decides: the order of POSIX for messages.
VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")
#: How a language's tags and locales begin, in lower case with hyphens. Simplified Chinese is another language.
BEGINNINGS: Final[tuple[tuple[str, str], ...]] = (
    ("zh-hant", "zh-Hant"),
    ("zh-tw", "zh-Hant"),
    ("zh-hk", "zh-Hant"),
    ("zh-mo", "zh-Hant"),
    ("en", "en"),
)
#: Letters and punctuation of each language: an encoding that has these can show its texts.
SAMPLES: Final[dict[str, str]] = {"en": "", "zh-Hant": "繁體中文：權重、檢查點，「隱藏層」（預設值）。"}


def language_of(tag: str) -> str | None:
    """The language that a tag or a locale asks for (``zh_TW.UTF-8``, ``zh-Hant-HK``); None where there is none."""
    name = tag.partition(".")[0].partition("@")[0].replace("_", "-").lower()
    for start, lang in BEGINNINGS:
        if name == start or name.startswith(start + "-"):
            return lang
    return None


def from_environment(environ: Mapping[str, str]) -> str:
    """The language of the user's messages; English where it is none of ours."""
    value = next((environ[v] for v in VARIABLES if environ.get(v)), "")
    return language_of(value) or "en"


def chosen(given: str | None, environ: Mapping[str, str], encoding: str, machine: bool = False) -> tuple[str, str]:
    """The language of the texts, and the one that was wanted and cannot be shown ("" where it can).

    Output for machines is the same in every environment: only ``given`` changes its language.

    Args:
        given: ``--lang``, None where it is not given.
        environ: environment variables.
        encoding: of the output.
        machine: the format is read by programs.

    Raises:
        CfgexplainError: "usage": there are no texts in the language given.
    """
    if given is not None:
        lang = language_of(given)
        if lang is None:
            from cfgexplain.errors import CfgexplainError

            raise CfgexplainError(
                "usage", f"there are no texts in the language {given}", f"There are: {', '.join(LANGUAGES)}."
            )
    else:
        lang = "en" if machine else from_environment(environ)
    return (lang, "") if shows(encoding, lang) else ("en", lang)


def shows(encoding: str, lang: str) -> bool:
    """Whether an encoding has the signs of a language."""
    try:
        SAMPLES[lang].encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
