"""English."""

from typing import Final

from cfgexplain.lang import en_findings

FINDINGS: Final[dict[str, tuple[str, str]]] = dict(en_findings.FINDINGS)
for _name in ("en_reading", "en_sources"):
    try:
        _m = __import__(f"cfgexplain.lang.{_name}", fromlist=["TEXTS"])
    except ModuleNotFoundError:
        continue
    FINDINGS.update({k.removeprefix("finding."): v for k, v in _m.TEXTS.items()})
TEXTS: Final[dict[str, str]] = {}
