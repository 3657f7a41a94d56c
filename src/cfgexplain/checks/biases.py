"""Biases: only where the architecture or its flags have them, and there always."""

from cfgexplain.checks.base import sorted_out

CHECKS = (
    sorted_out("unexpected-bias", "error"),
    sorted_out("missing-bias", "error"),
)
