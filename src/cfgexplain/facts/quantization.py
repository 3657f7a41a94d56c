"""What the config says about quantization."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cfgexplain.report import QuantizationR
    from cfgexplain.subject import Subject


def quantization(s: Subject) -> QuantizationR | None:
    """Method, bits and group size, where a quantization config is declared."""
    for config in (s.top.config, s.main.config):
        q = config.get("quantization_config")
        if isinstance(q, dict):
            bits, group, method = q.get("bits"), q.get("group_size"), q.get("quant_method")
            return {
                "method": method if isinstance(method, str) else None,
                "bits": float(bits) if isinstance(bits, int) and not isinstance(bits, bool) else None,
                "group_size": group if isinstance(group, int) and not isinstance(group, bool) else None,
                "modules": [],
                "bits_per_parameter": None,
            }
    return None
