"""English."""

from typing import Final

from cfgexplain.lang import (
    en_diff,
    en_drift,
    en_explain,
    en_explain_ffn,
    en_findings,
    en_html,
    en_labels,
    en_reading,
    en_sources,
    en_text,
)

FINDINGS: Final[dict[str, tuple[str, str]]] = {
    **en_findings.FINDINGS,
    **en_drift.FINDINGS,
    **{
        key.removeprefix("finding."): texts
        for found in (en_reading.TEXTS, en_sources.TEXTS)
        for key, texts in found.items()
    },
}
TEXTS: Final[dict[str, str]] = {
    **en_explain.TEXTS,
    **en_explain_ffn.TEXTS,
    **en_text.TEXTS,
    **en_diff.TEXTS,
    **en_html.TEXTS,
    **en_labels.TEXTS,
}
