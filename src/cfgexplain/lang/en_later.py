"""English: texts that a usual run does not need: single keys, the tour. Imported when one of them is asked for."""

from typing import Final

from cfgexplain.lang import en_keys, en_tour

TEXTS: Final[dict[str, str]] = {**en_keys.TEXTS, **en_tour.TEXTS}
