"""English: texts that a usual run does not need: single keys, stories, the tour. Imported for the first of them."""

from typing import Final

from cfgexplain.lang import en_keys, en_story, en_tour, en_words

TEXTS: Final[dict[str, str]] = {**en_keys.TEXTS, **en_story.TEXTS, **en_tour.TEXTS, **en_words.TEXTS}
