"""English."""

from typing import Final

from cfgexplain.lang import en_diff, en_drift, en_explain, en_explain_ffn, en_findings, en_html, en_text

FINDINGS: Final[dict[str, tuple[str, str]]] = {**en_findings.FINDINGS, **en_drift.FINDINGS}
for _name in ("en_reading", "en_sources"):
    try:
        _m = __import__(f"cfgexplain.lang.{_name}", fromlist=["TEXTS"])
    except ModuleNotFoundError:
        continue
    FINDINGS.update({k.removeprefix("finding."): v for k, v in _m.TEXTS.items()})
TEXTS: Final[dict[str, str]] = {
    **en_explain.TEXTS,
    **en_explain_ffn.TEXTS,
    **en_text.TEXTS,
    **en_diff.TEXTS,
    **en_html.TEXTS,
}
