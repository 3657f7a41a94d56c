"""English: the tour."""

from typing import Final

TEXTS: Final[dict[str, str]] = {}
