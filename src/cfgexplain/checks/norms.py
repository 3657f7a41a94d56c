"""Norms: present where the architecture has them, and of its kind."""

from cfgexplain.checks.base import sorted_out

CHECKS = (
    sorted_out("missing-final-norm", "error"),
    sorted_out("missing-layer-norm", "error"),
    sorted_out("norm-type-mismatch", "error"),
)
