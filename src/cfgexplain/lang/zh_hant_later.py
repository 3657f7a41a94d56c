"""Traditional Chinese: texts that a usual run does not need: keys, stories, the tour. Imported when one is wanted."""

from typing import Final

from cfgexplain.lang import zh_hant_keys, zh_hant_story, zh_hant_tour, zh_hant_words

TEXTS: Final[dict[str, str]] = {
    **zh_hant_keys.TEXTS,
    **zh_hant_story.TEXTS,
    **zh_hant_tour.TEXTS,
    **zh_hant_words.TEXTS,
}
