"""What a TARGET means: text of a command line to a place. Reads nothing but the environment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from cfgexplain.errors import CfgexplainError
from cfgexplain.text import clean, readable

if TYPE_CHECKING:
    from collections.abc import Callable

#: File names that no hub id ends in. What ends so and is absent is a wrong path, not a question for the hub.
FILE_SUFFIXES: Final = (
    ".json", ".json.gz", ".safetensors", ".gguf", ".bin", ".pt", ".pth", ".ckpt", ".yaml", ".yml", ".txt",
)  # fmt: skip

_HUB_HOSTS: Final = frozenset({"huggingface.co", "www.huggingface.co", "hf.co"})
#: Words that follow a repo in a hub URL, with whether a revision and a path follow them.
_VIEWS: Final = {
    "tree": True, "blob": True, "resolve": True, "raw": True, "blame": True, "commit": True, "commits": True,
    "discussions": False, "settings": False, "edit": False, "upload": False, "delete": False,
}  # fmt: skip
#: First words of hub URLs that are not models.
_NOT_MODELS: Final = frozenset(
    {"datasets", "spaces", "kernels", "buckets", "collections", "papers", "docs", "blog", "api"}
)
_MAX_TARGET: Final = 4096
_NAME_CHARS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_FORM: Final = "A hub id has the form org/name, org/name@revision or, for a few old models, name."


class Spec(NamedTuple):
    """A target, taken apart.

    Attributes:
        input: the text as given.
        kind: where to look.
        path: for "path": the file or directory, ``~`` expanded; for "example": its name; else "".
        repo_id: for "hub": ``org/name`` or a bare legacy name.
        revision: for "hub": branch, tag or commit, decoded; None is the default branch.
        subfolder: folder inside the repo or directory, forward slashes, no slash at either end; or None.
        file: for "hub": the file that a URL pointed at, within ``subfolder``; or None.
    """

    input: str
    kind: Literal["hub", "path", "example", "stdin"]
    path: str = ""
    repo_id: str | None = None
    revision: str | None = None
    subfolder: str | None = None
    file: str | None = None


def exists_on_disk(path: str) -> bool:
    """Whether anything is at ``path``, a dangling link too. Never raises."""
    try:
        return os.path.lexists(path)
    except (OSError, ValueError):
        return False


def parse_target(
    text: str,
    *,
    revision: str | None = None,
    subfolder: str | None = None,
    exists: Callable[[str], bool] = exists_on_disk,
) -> Spec:
    """Takes a TARGET apart. What ``exists`` is local, whatever else it looks like.

    Raises CfgexplainError: "usage" for what no target can be, "not-found" for a path that is not there.
    """
    folder = clean_subfolder(subfolder)
    text = without_userinfo(text)
    if text == "-":
        return Spec(text, "stdin")
    if text.startswith("example:"):
        return Spec(text, "example", path=text[len("example:") :])
    path = os.path.expanduser(text) if text.startswith("~") else text
    if text and len(text) <= _MAX_TARGET and exists(path):
        return Spec(text, "path", path=path, subfolder=folder)
    stripped = readable(text.strip())  # it is on no disk: from here on it is only shown, or asked for
    if not stripped:
        raise _usage("an empty target", f"Name a directory, a file or a hub id. {_FORM}")
    if len(stripped) > _MAX_TARGET:
        raise _usage(f"a target of {len(stripped):,} characters", _FORM)
    if not stripped.isprintable() and _is_pathlike(stripped):
        raise CfgexplainError("not-found", f"no such file or directory: {clean(stripped)}", "Check the spelling.")
    if not stripped.isprintable():
        raise _usage(f"{stripped!r} holds control characters", _FORM)
    scheme, separator, _ = stripped.partition("://")
    if separator and scheme.lower() in ("http", "https", "hf", "ssh"):
        return _with_options(_parse_url(text, stripped), revision, folder)
    if stripped.startswith("git@") and stripped[4:].partition(":")[0].lower() in _HUB_HOSTS:
        return _with_options(_parse_url(text, "https://" + stripped[4:].replace(":", "/", 1)), revision, folder)
    if separator:
        raise _usage(f"{stripped!r}: {scheme}:// is nothing that cfgexplain reads", "Give a path or a hub id.")
    host, slash, _ = stripped.partition("/")
    if slash and host and host.lower() in {*_HUB_HOSTS, _endpoint()[0]}:
        return _with_options(_parse_url(text, "https://" + stripped), revision, folder)
    if _is_pathlike(stripped):
        raise CfgexplainError(
            "not-found",
            f"no such file or directory: {readable(path.strip())}",
            "Check the spelling; the hub is asked for targets like org/name only.",
        )
    bare, at, rev = stripped.partition("@")
    if at and not rev:
        raise _usage(f"{stripped!r} names no revision after the @", "Leave the @ out for the default branch.")
    return _with_options(Spec(text, "hub", repo_id=_repo_id(bare.rstrip("/"), stripped), revision=rev or None),
                         revision, folder)  # fmt: skip


def without_userinfo(text: str) -> str:
    """A pasted URL without the name and password (or token) in it: neither is ever shown, sent or kept."""
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = "", text
    authority, slash, path = rest.partition("/")
    userinfo, at, host = authority.rpartition("@")
    if not at or (not separator and (":" not in userinfo or not slash)):
        return text
    return f"{scheme}{separator}{host}{slash}{path}"


def _usage(message: str, hint: str) -> CfgexplainError:
    return CfgexplainError("usage", message, hint)


def _is_pathlike(text: str) -> bool:
    if text[0] in "./~\\" or "\\" in text:
        return True
    if len(text) > 1 and text[1] == ":" and text[0].isalpha():
        return True
    return text.lower().endswith(FILE_SUFFIXES) and "@" not in text


def is_repo_name(name: str) -> bool:
    """Whether the hub could have a user, organisation or repo of this name (the hub library's own rule)."""
    return (
        0 < len(name) <= 96
        and _NAME_CHARS.issuperset(name)
        and name[0] not in "-."
        and name[-1] not in "-."
        and "--" not in name
        and ".." not in name
        and not name.endswith(".git")
    )


def _repo_id(text: str, shown: str) -> str:
    parts = text.split("/")
    if len(parts) > 2:
        raise _usage(
            f"{shown!r} is no path on this machine and no hub id", _FORM + " A folder of a repo is --subfolder."
        )
    for part in parts:
        if not is_repo_name(part):
            raise _usage(f"{shown!r} is no path on this machine and no hub id", _FORM)
    return text


def _endpoint() -> tuple[str, list[str]]:
    """Host with port, and path segments, of HF_ENDPOINT. ("", []) where it is not set."""
    _, _, rest = os.environ.get("HF_ENDPOINT", "").partition("://")
    host, _, path = rest.partition("/")
    return host.rpartition("@")[2].lower(), [s for s in path.split("/") if s]


def _parse_url(text: str, url: str) -> Spec:
    from urllib.parse import unquote

    scheme, _, rest = url.partition("://")
    rest = rest.split("#", 1)[0].split("?", 1)[0]
    parts = [unquote(p) for p in rest.split("/") if p]
    if any(not p.isprintable() or p in (".", "..") for p in parts):
        raise _usage(f"{text!r} is no URL of a model", _FORM)
    if scheme.lower() == "hf":
        repo, _, rev = "/".join(parts[:2]).partition("@")
        if parts and parts[0] == "models":
            repo, _, rev = "/".join(parts[1:3]).partition("@")
            parts = parts[1:]
        return _file_or_folder(Spec(text, "hub", repo_id=_repo_id(repo, text), revision=rev or None), parts[2:], None)
    host = parts.pop(0).rpartition("@")[2].lower() if parts else ""
    endpoint, prefix = _endpoint()
    if host == endpoint and endpoint:
        parts = parts[len(prefix) :] if parts[: len(prefix)] == prefix else parts
    elif host.removesuffix(":443").removesuffix(":80") not in _HUB_HOSTS:
        raise _usage(
            f"{text!r} is no URL of the hub",
            "Set HF_ENDPOINT for a mirror, or download the model and give its directory.",
        )
    if parts and parts[0] == "models":
        parts.pop(0)
    if not parts or parts[0] in _NOT_MODELS:
        raise _usage(f"{text!r} is no URL of a model", "Cfgexplain reads model repos: …/org/name.")
    size = 1 if len(parts) == 1 or parts[1] in _VIEWS else 2
    repo_parts, rest_parts = parts[:size], parts[size:]
    last, _, rev = repo_parts[-1].partition("@")
    repo_parts[-1] = last.removesuffix(".git")
    spec = Spec(text, "hub", repo_id=_repo_id("/".join(repo_parts), text), revision=rev or None)
    if not rest_parts:
        return spec
    view, *after = rest_parts
    if view not in _VIEWS:
        raise _usage(
            f"{text!r} is no URL of a model", "Cfgexplain reads …/org/name, …/tree/rev/folder and …/blob/rev/file."
        )
    if not _VIEWS[view] or not after:
        return spec
    # Pull requests live under refs/pr/N; a browser's address bar shows the slashes encoded or not.
    taken = 3 if after[0] == "refs" and len(after) >= 3 else 1
    spec = spec._replace(revision="/".join(after[:taken]))
    return spec if view in ("commit", "commits") else _file_or_folder(spec, after[taken:], view)


def _file_or_folder(spec: Spec, parts: list[str], view: str | None) -> Spec:
    """Splits the path inside a repo. A tree is a folder, a blob a file; without a view, the suffix tells."""
    parts = [p for p in "/".join(parts).split("/") if p]  # an encoded slash is a slash
    if not parts:
        return spec
    is_file = parts[-1].lower().endswith(FILE_SUFFIXES) if view in (None, "tree") else True
    folder = clean_subfolder("/".join(parts[:-1] if is_file else parts))
    return spec._replace(subfolder=folder, file=parts[-1] if is_file else None)


def clean_subfolder(text: str | None) -> str | None:
    """A folder inside a repo, without slashes at its ends. Raises "usage" for one that leads outside."""
    if text is None:
        return None
    if not text.isprintable() or text.startswith("/") or (len(text) > 1 and text[1] == ":"):
        raise _usage(
            f"{text!r} is no folder inside a model", "--subfolder takes a relative path, such as text_encoder."
        )
    parts = [p for p in text.replace("\\", "/").split("/") if p not in ("", ".")]
    if ".." in parts:
        raise _usage(f"{text!r} leads out of the model's folder", "--subfolder takes a folder below it.")
    return "/".join(parts) or None


def _with_options(spec: Spec, revision: str | None, subfolder: str | None) -> Spec:
    """Adds the options. Where target and option both name something, they must agree."""
    if revision is not None and (not revision.strip() or not revision.isprintable()):
        raise _usage(f"{revision!r} is no revision", "A revision is a branch, a tag or a commit.")
    for what, own, given in (("revision", spec.revision, revision), ("subfolder", spec.subfolder, subfolder)):
        if own is not None and given is not None and own != given:
            raise _usage(f"{spec.input!r} names the {what} {own!r}, --{what} names {given!r}", "Give one of the two.")
    return spec._replace(revision=spec.revision or revision, subfolder=spec.subfolder or subfolder)
