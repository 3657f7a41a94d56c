"""SARIF 2.1.0 (OASIS, errata 01), as code scanning services read it. Written report by report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cfgexplain import __version__
from cfgexplain.lang import catalogue
from cfgexplain.render.json_ import dumps
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cfgexplain.places import Located, Place
    from cfgexplain.render import Style
    from cfgexplain.report import FindingR

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HOME: Final = "https://pypi.org/project/cfgexplain/"
#: Files that paths are relative to; a viewer puts the checkout there.
BASE: Final = "%SRCROOT%"
#: The name under which code scanning looks for a fingerprint, and our own.
FINGERPRINTS: Final = ("primaryLocationLineHash", "cfgexplain/v1")


def render(items: Iterable[Located], style: Style) -> Iterator[str]:
    """One run, whatever the number of targets. A target that could not be read is a notification of the run."""
    index = {name: k for k, (name, _) in enumerate(style.rules)}
    driver = {
        "name": "cfgexplain",
        "version": __version__,
        "semanticVersion": __version__,
        "informationUri": HOME,
        "rules": list(_rules(style)),
    }
    yield f'{{\n"$schema": "{SCHEMA}",\n"version": "2.1.0",\n"runs": [{{\n"tool": {{"driver": {dumps(driver)}}},\n'
    yield f'"columnKind": "unicodeCodePoints",\n"originalUriBaseIds": {dumps(_bases())},\n"results": ['
    first = True
    notifications: list[object] = []
    for item in items:
        error = item.report["error"]
        if error is not None:
            notifications.append(
                {
                    "level": "error",
                    "descriptor": {"id": error["kind"]},
                    "message": {"text": _text(item.failure or "")},
                    **(
                        {"locations": [{"physicalLocation": _physical(item.where)}]}
                        if item.where.kind != "none"
                        else {}
                    ),
                }
            )
        for f, place, identity, _ in item.findings():
            yield ("\n" if first else ",\n") + dumps(_result(f, place, identity, index[f["name"]]))
            first = False
    invocation = {"executionSuccessful": not notifications, "toolExecutionNotifications": notifications}
    yield f'\n],\n"invocations": [{dumps(invocation)}]\n}}]\n}}\n'


def _rules(style: Style) -> Iterator[dict[str, object]]:
    texts = catalogue(style.lang)
    for name, severity in style.rules:
        page = texts.rule(name)
        lines = [page["says"], page["why"], f"Example: {page['example']}"]
        if page["references"]:
            lines.append(page["references"])
        yield {
            "id": name,
            "shortDescription": {"text": page["says"]},
            "fullDescription": {"text": page["why"]},
            "help": {"text": "\n\n".join(lines), "markdown": f"# {name}\n\n" + "\n\n".join(lines)},
            "helpUri": f"{HOME}#{name}",
            "defaultConfiguration": {"level": severity},
        }


def _bases() -> dict[str, object]:
    return {BASE: {"description": {"text": "The folder that cfgexplain ran in."}}}


def _result(f: FindingR, place: Place, identity: str, index: int) -> dict[str, object]:
    location: dict[str, object] = {"physicalLocation": _physical(place)}
    logical = [{"fullyQualifiedName": clean(f["pointer"]), "kind": "property"}] if f["pointer"] else []
    logical += [{"fullyQualifiedName": t, "kind": "tensor"} for t in f["tensors"]]
    if logical:
        location["logicalLocations"] = logical
    return {
        "ruleId": f["name"],
        "ruleIndex": index,
        "level": f["severity"],
        "message": {"text": _text(f"{f['message']} {f['hint']}")},
        "locations": [location],
        "partialFingerprints": dict.fromkeys(FINGERPRINTS, identity),
    }


def _physical(place: Place) -> dict[str, object]:
    artifact = {"uri": uri(place)}
    if place.kind == "relative":
        artifact["uriBaseId"] = BASE
    return {"artifactLocation": artifact, "region": {"startLine": place.line, "startColumn": place.column}}


def uri(place: Place) -> str:
    """A place's file as a URI reference, relative to ``BASE`` where its path is relative."""
    from urllib.parse import quote

    path = place.path.encode("utf-8", "surrogatepass")
    if place.kind == "url":
        return quote(path, safe="/:@")
    if place.kind == "absolute":
        return "file://" + ("" if place.path.startswith("/") else "/") + quote(path, safe="/:")
    return quote(path, safe="/")


def _text(text: str) -> str:
    """Text that no viewer takes for a link: SARIF gives brackets before a parenthesis a meaning."""
    text = clean(text)
    return text.replace("[", "\\[").replace("]", "\\]") if "](" in text else text
