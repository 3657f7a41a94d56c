"""English texts of what the sources see while reading: ``finding.<check>.<key>`` to (message, hint).

Placeholders are keys of the problem's ``values``. Notes have no hint.
"""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "finding.duplicate-key.index": (
        "Keys that the index has twice, so that readers differ in which one they take: {count} ({names}).",
        "Write the index anew with the tool that wrote the weights.",
    ),
    "finding.unsafe-shard-path.path": (
        "Files that the index places outside the model's folder, and that were not opened: {count} ({paths}).",
        "Do not load this model before you know who wrote its index: such a path can reach other files or repos.",
    ),
    "finding.unsafe-shard-path.link": (
        "Files of the index that are links out of the model's folder, and that were not opened: {count} ({paths}).",
        "Copy the files into the folder, or name the folder where they really are.",
    ),
    "finding.index-missing-shard.some": (
        "Files that the index names and that are not there: {count} of {total} ({files}). Tensors in them: {tensors}, "
        "among them {examples}.",
        "Download or copy the missing files. Absent tensors are not reported one by one.",
    ),
    "finding.index-missing-shard.none": (
        "None of the {total} files that the index names is there: {files}.",
        "Download the weights, or pass --config-only to explain the config alone.",
    ),
    "finding.index-missing-shard.incomplete": (
        "Files that the index names and that are not there: {count} of {total} ({files}). Tensors in them: {tensors}, "
        "among them {examples}. An incomplete download? Unfinished files (*.incomplete) here: {partial}.",
        "Resume the download. Absent tensors are not reported one by one.",
    ),
    "finding.index-missing-shard.stale": (
        "Files that the index names and that are not there: {count} of {total} ({files}). A stale index? "
        "Other weight files: {others} ({other_files}).",
        "Fetch or write the index that belongs to the files that are there, or remove it.",
    ),
    "finding.index-missing-shard.set": (
        "Files of a numbered set that are not there: {count} of {total} ({files}). No index tells what they hold.",
        "Download or copy the missing files, and the index.",
    ),
    "finding.index-tensor-mismatch.absent": (
        "Tensors that the index places in {files} and that are not there: {count} ({examples}).",
        "Loading by this index fails or leaves them at random values: write the index anew, or fetch the right files.",
    ),
    "finding.index-tensor-mismatch.elsewhere": (
        "Tensors in another file than the index says: {count} ({examples}).",
        "Write the index anew with the tool that wrote the weights.",
    ),
    "finding.index-tensor-mismatch.unlisted": (
        "Tensors in {files} that the index does not have: {count} ({examples}).",
        "Readers that follow the index do not see them: write the index anew, or fetch the right files.",
    ),
    "finding.index-tensor-mismatch.twice": (
        "Tensors that are in two files ({files}): {count} ({examples}).",
        "Which one is loaded depends on the reader: keep one of the two.",
    ),
    "finding.index-total-size.differs": (
        "The index says {total_size:,} bytes in all, the tensors have {bytes:,}.",
        "Set metadata.total_size to {bytes}: some loaders plan memory by it.",
    ),
    "finding.index-total-size.invalid": (
        "The index gives {value} as total_size, which is no number of bytes.",
        "Set metadata.total_size to a whole number of bytes: some loaders plan memory by it.",
    ),
    "finding.weights-not-fetched.lfs": (
        "Weight files that are Git LFS pointers: {count} of {total} ({files}). The config is explained without them.",
        "Run git lfs pull in the folder.",
    ),
    "finding.weights-not-fetched.cache": (
        "Weight files that are not in the local cache: {count} of {total} ({files}).",
        "Leave --offline out to read their headers from the hub.",
    ),
    "finding.unreferenced-weights.index": (
        "Weight files that the index does not name, and that were not read: {count} ({files}).",
        "Remove them, or keep them if another tool wants them: nothing that follows the index loads them.",
    ),
    "finding.unreferenced-weights.choice": (
        "Weight files beside {read} that were not read: {count} ({files}).",
        "Remove them if they are left over; loaders take the standard names first.",
    ),
    "note.variant": ("Only weights of the variant {variant} are there; they were read.", ""),
    "note.weights-skipped": ("The config alone is explained: {reason}.", ""),
    "note.cache-no-weights": ("No weights are in the local cache: the config alone is explained.", ""),
    "note.index-no-total-size": ("{file} has no total_size: sizes come from the headers.", ""),
    "note.progress": ("cfgexplain: {done} of {asked} answers from the hub", ""),
    "note.progress-models": ("cfgexplain: {done} of {asked} models from the hub", ""),
    "note.cache-show": ("{folder}: {files} models, {bytes:,} bytes", ""),
    "note.cache-clear": ("{folder}: removed {files} models, {bytes:,} bytes", ""),
    "note.extra-unreadable": ("{file} was left out: {reason}.", ""),
}
