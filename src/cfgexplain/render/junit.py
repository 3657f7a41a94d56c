"""JUnit XML: a suite for each target, a case for each finding, one that passes where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.places import Located
    from cfgexplain.render import Style

_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"})


def xml(text: str) -> str:
    """Text for an element or an attribute; characters that XML 1.0 forbids are written as visible escapes."""
    return clean(text).translate(_ENTITIES)


def render(items: Iterable[Located], style: Style) -> Iterator[str]:
    """A finding that makes ``check`` fail is a failure; a lesser one passes and has its text as output."""
    yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="cfgexplain">\n'
    for item in items:
        yield from _suite(item)
    yield "</testsuites>\n"


def _suite(item: Located) -> Iterator[str]:
    name = xml(item.report["target"]["input"])
    error = item.report["error"]
    rows = list(item.findings())
    failures = sum(failing for *_, failing in rows)
    counts = f'tests="{len(rows) or 1}" failures="{failures}" errors="{int(error is not None)}" skipped="0"'
    yield f'  <testsuite name="{name}" {counts}>\n'
    if error is not None:
        fault = f'<error type="{xml(error["kind"])}" message="{xml(item.failure or "")}"/>'
        yield f'    <testcase classname="{name}" name="read">{fault}</testcase>\n'
    elif not rows:
        yield f'    <testcase classname="{name}" name="checks"/>\n'
    for f, place, _, failing in rows:
        what = f["pointer"] or (f["tensors"][0] if f["tensors"] else f["file"]) or ""
        case = f'    <testcase classname="{name}" name="{xml(" ".join((f["name"], what)).strip())}" '
        case += f'file="{xml(place.path)}" line="{place.line}">'
        body = f"{place.path}:{place.line}:{place.column}: {f['severity']}: {f['message']} {f['hint']}"
        if failing:
            body = f'<failure type="{f["severity"]}" message="{xml(f["message"])}">{xml(body)}</failure>'
        else:
            body = f"<system-out>{xml(body)}</system-out>"
        yield f"{case}{body}</testcase>\n"
    yield "  </testsuite>\n"
