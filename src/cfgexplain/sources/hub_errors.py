"""The hub's refusals in our words: one line what, one line what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfgexplain.errors import CfgexplainError
from cfgexplain.sources.http_words import asked_wait
from cfgexplain.text import clean

if TYPE_CHECKING:
    from cfgexplain.sources.http_body import Answer
    from cfgexplain.sources.transport import Transport

_LOG_IN = "log in with `hf auth login` or set HF_TOKEN"


def error_code(answer: Answer) -> str:
    return answer.headers.get("x-error-code") or answer.first.get("x-error-code") or ""


def is_missing_file(answer: Answer) -> bool:
    """Whether the repo and revision may be there and only the file is not. Mirrors send a 404 without a code."""
    return answer.status == 404 and error_code(answer) in ("EntryNotFound", "")


def status_error(
    answer: Answer, transport: Transport, repo_id: str, revision: str | None, *, public: bool = False
) -> CfgexplainError:
    """The error for an answer that is neither 200 nor 206. ``public``: without the token it would be."""
    code, said = error_code(answer), transport.scrub(answer.headers.get("x-error-message", ""))
    status = answer.status
    page = f"{_shown(transport.endpoint)}/{repo_id}"
    if public:
        message = f"the hub does not accept the token; {repo_id} is public, and there without it"
        hint = "Leave the token out, or get a new one: hf auth logout, unset HF_TOKEN."
        return CfgexplainError("unauthorized", message, hint)
    if code == "GatedRepo":
        if transport.has_token:
            message = f"{repo_id} is gated, and this token's account has no access to it"
            return CfgexplainError("gated", message, f"Ask for access at {page}")
        hint = f"Ask for access at {page}, then {_LOG_IN}."
        return CfgexplainError("gated", f"{repo_id} is gated: it is for accounts that were given access", hint)
    if code == "RevisionNotFound":
        message = f"{repo_id} has no revision {clean(revision or 'main', 100)}"
        return CfgexplainError(
            "revision-not-found", message, "Name a branch, a tag, or a commit with all its 40 digits."
        )
    if status == 401 and transport.has_token and (code != "RepoNotFound" or "credentials" in said.lower()):
        hint = "Get a new one, or leave it out for public repos: unset HF_TOKEN, or hf auth logout."
        return CfgexplainError("unauthorized", "the hub does not accept the token", hint)
    if code == "RepoNotFound" or status == 401:
        if transport.has_token:
            message = f"there is no repo {repo_id}, or this token has no access to it"
            return CfgexplainError("not-found", message, "Check the spelling, and what the token may read.")
        message = f"{repo_id} is missing, private or gated: without a token the hub does not say which"
        withheld = (
            " The token was not sent over plain http: give it with --token to do so." if transport.withheld else ""
        )
        return CfgexplainError("not-found", message, f"Check the spelling, or {_LOG_IN}.{withheld}")
    if status == 404:
        message = f"there is no repo {repo_id}, or no revision {clean(revision or 'main', 100)} of it"
        return CfgexplainError("not-found", message, f"Check the spelling: {page}")
    if status == 403:
        reason = f": {clean(said, 120)}" if said else ""
        return CfgexplainError("unauthorized", f"the hub forbids access to {repo_id}{reason}", f"See {page}")
    if status == 429:
        wait = asked_wait(answer.headers)
        when = f"Try again in {wait:.0f} s" if wait is not None else "Try again in a few minutes"
        more = "." if transport.has_token else ", or log in: accounts may ask more often."
        return CfgexplainError("rate-limited", "the hub says that too much was asked (429)", when + more)
    host = transport.origin[1]
    return CfgexplainError("network", f"{host} answered with the status {status}", "Try again later.")


def _shown(endpoint: str) -> str:
    """The endpoint as it may be shown: without a password in it."""
    scheme, separator, rest = endpoint.partition("://")
    host, slash, path = rest.partition("/")
    return scheme + separator + host.rpartition("@")[2] + slash + path
