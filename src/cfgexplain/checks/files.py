"""Files: shards, indexes, headers. All of it is seen while reading."""

from cfgexplain.checks.base import while_reading

CHECKS = (
    while_reading("index-missing-shard", "error"),
    while_reading("index-tensor-mismatch", "error"),
    while_reading("index-total-size", "warning"),
    while_reading("truncated-file", "error"),
    while_reading("invalid-header", "error"),
    while_reading("unknown-dtype", "warning"),
    while_reading("unsafe-shard-path", "error"),
    while_reading("weights-not-fetched", "warning"),
    while_reading("unreferenced-weights", "note"),
)
