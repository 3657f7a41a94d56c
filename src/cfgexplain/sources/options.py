"""What a user may say about how targets are read."""

from __future__ import annotations

from typing import NamedTuple


class Options(NamedTuple):
    """Options of the command line that bear on reading.

    Attributes:
        revision: branch, tag or commit of hub targets; None is the hub's default branch.
        token: a hub token given by hand; None is whatever the hub library finds.
        offline: read the hub library's cache and ask no server.
        config_only: read no weight file and no index.
        subfolder: folder inside a repo or directory, with forward slashes.
        timeout: seconds to wait for a server to connect or to send more.
        jobs: requests at once. By default as many as the largest published models have shards, and fewer than the
            256 open files that a process has on every system.
        no_cache: neither read nor write a cache.
        progress: show on a terminal that work goes on.
        lang: language of what is shown on the way.
    """

    revision: str | None = None
    token: str | None = None
    offline: bool = False
    config_only: bool = False
    subfolder: str | None = None
    timeout: float = 20.0
    jobs: int = 168
    no_cache: bool = False
    progress: bool = True
    lang: str = "en"
