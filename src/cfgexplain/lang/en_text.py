"""English: headings and labels of the text report."""

from typing import Final

TEXTS: Final[dict[str, str]] = {}
