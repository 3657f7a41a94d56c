"""English texts of what the sources see while reading: ``finding.<check>.<key>`` to (message, hint).

Placeholders are keys of the problem's ``values``. Notes have no hint.
"""

from __future__ import annotations

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "finding.duplicate-key.index": (
        "The index names {count} keys twice, and readers differ in which one they take: {names}.",
        "Write the index anew with the tool that wrote the weights.",
    ),
    "finding.unsafe-shard-path.path": (
        "The index names {count} files outside the model's folder, which were not opened: {paths}.",
        "Do not load this model before you know who wrote its index: such a path can reach other files or repos.",
    ),
    "finding.unsafe-shard-path.link": (
        "{count} files of the index are links that lead out of the model's folder; they were not opened: {paths}.",
        "Copy the files into the folder, or name the folder where they really are.",
    ),
    "finding.index-missing-shard.some": (
        "{count} of {total} files that the index names are not there: {files}. They hold {tensors} tensors, "
        "among them {examples}.",
        "Download or copy the missing files. Absent tensors are not reported one by one.",
    ),
    "finding.index-missing-shard.none": (
        "None of the {total} files that the index names is there: {files}.",
        "Download the weights, or pass --config-only to explain the config alone.",
    ),
    "finding.index-missing-shard.incomplete": (
        "{count} of {total} files that the index names are not there: {files}. They hold {tensors} tensors, "
        "among them {examples}. An incomplete download? {partial} unfinished files (*.incomplete) are here.",
        "Resume the download. Absent tensors are not reported one by one.",
    ),
    "finding.index-missing-shard.stale": (
        "{count} of {total} files that the index names are not there: {files}. A stale index? "
        "{others} other weight files are: {other_files}.",
        "Fetch or write the index that belongs to the files that are there, or remove it.",
    ),
    "finding.index-missing-shard.set": (
        "{count} of the {total} files of a numbered set are not there, and no index tells what they hold: {files}.",
        "Download or copy the missing files, and the index.",
    ),
    "finding.index-tensor-mismatch.absent": (
        "{count} tensors that the index places in {files} are not in these files: {examples}.",
        "Loading by this index fails or leaves them at random values: write the index anew, or fetch the right files.",
    ),
    "finding.index-tensor-mismatch.elsewhere": (
        "{count} tensors are in another file than the index says: {examples}.",
        "Write the index anew with the tool that wrote the weights.",
    ),
    "finding.index-tensor-mismatch.unlisted": (
        "{count} tensors in {files} are not in the index: {examples}.",
        "Readers that follow the index do not see them: write the index anew, or fetch the right files.",
    ),
    "finding.index-tensor-mismatch.twice": (
        "{count} tensors are in two files ({files}): {examples}.",
        "Which one is loaded depends on the reader: keep one of the two.",
    ),
    "finding.index-total-size.differs": (
        "The index says {total_size:,} bytes in all, the tensors have {bytes:,}.",
        "Set metadata.total_size to {bytes}: some loaders plan memory by it.",
    ),
    "finding.weights-not-fetched.lfs": (
        "{count} of {total} weight files are Git LFS pointers: {files}. The config is explained without them.",
        "Run git lfs pull in the folder.",
    ),
    "finding.weights-not-fetched.cache": (
        "{count} of {total} weight files are not in the local cache: {files}.",
        "Leave --offline out to read their headers from the hub.",
    ),
    "finding.unreferenced-weights.index": (
        "{count} weight files are not named by the index and were not read: {files}.",
        "Remove them, or keep them if another tool wants them: nothing that follows the index loads them.",
    ),
    "finding.unreferenced-weights.choice": (
        "{count} weight files beside {read} were not read: {files}.",
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
