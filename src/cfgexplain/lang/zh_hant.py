"""Traditional Chinese (繁體中文), in the words of Taiwan."""

from typing import Final

from cfgexplain.lang import (
    zh_hant_diff,
    zh_hant_drift,
    zh_hant_explain,
    zh_hant_explain_ffn,
    zh_hant_findings,
    zh_hant_html,
    zh_hant_labels,
    zh_hant_reading,
    zh_hant_sources,
    zh_hant_text,
)

FINDINGS: Final[dict[str, tuple[str, str]]] = {
    **zh_hant_findings.FINDINGS,
    **zh_hant_drift.FINDINGS,
    **{
        key.removeprefix("finding."): texts
        for found in (zh_hant_reading.TEXTS, zh_hant_sources.TEXTS)
        for key, texts in found.items()
    },
}
TEXTS: Final[dict[str, str]] = {
    **zh_hant_explain.TEXTS,
    **zh_hant_explain_ffn.TEXTS,
    **zh_hant_text.TEXTS,
    **zh_hant_diff.TEXTS,
    **zh_hant_html.TEXTS,
    **zh_hant_labels.TEXTS,
}
