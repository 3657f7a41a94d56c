"""What a project says about its checks: ``cfgexplain.toml``, or ``[tool.cfgexplain]`` in pyproject.toml.

The nearest such file above a target holds for it. Nothing is read, and no TOML parser imported, where there is none.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from cfgexplain.errors import CfgexplainError
from cfgexplain.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from cfgexplain.report import Severity

OWN: Final = "cfgexplain.toml"
SHARED: Final = "pyproject.toml"
#: Larger than any file of settings.
LARGEST: Final = 1_000_000
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
#: Ranks of one model: far more than any machine has.
MOST_RANKS: Final = 65_536


class Settings(NamedTuple):
    """One file of settings, checked.

    Attributes:
        file: where it stands; "" where there is none.
        select: names of checks, or shell patterns of them; empty is all.
        ignore: likewise; empty is none.
        severity: check → severity that replaces its own.
        fail_on: least severity that makes ``check`` fail, or None for the default.
        per_path_ignores: (pattern of paths below the file's folder, names of checks).
        expect: dotted path of a config key → the value that it should have.
        tensor_parallel: ranks that the model will be split over, or None.
    """

    file: str = ""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = {}
    fail_on: str | None = None
    per_path_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    expect: Mapping[str, object] = {}
    tensor_parallel: int | None = None

    def ignored_at(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Checks that are ignored for any of these paths (relative to the working directory, or absolute)."""
        if not self.per_path_ignores:
            return ()
        from fnmatch import fnmatchcase

        above = os.path.dirname(os.path.abspath(self.file))
        wanted = {p for path in paths for p in _with_folders(_below(path, above))}
        return tuple(
            n for pattern, names in self.per_path_ignores if any(fnmatchcase(p, pattern) for p in wanted) for n in names
        )


NONE: Final = Settings()


def _below(path: str, folder: str) -> str:
    try:
        return os.path.relpath(os.path.abspath(path), folder).replace(os.sep, "/")
    except ValueError:
        return path


def _with_folders(path: str) -> list[str]:
    """``a/b/c`` → ``a/b/c``, ``a/b``, ``a``, so that a pattern may name a folder."""
    parts = path.split("/")
    return ["/".join(parts[:k]) for k in range(len(parts), 0, -1)]


def settings_for(path: str) -> Settings:
    """The settings that hold for a file or folder: those of the nearest folder above that has some."""
    full = os.path.abspath(path)
    return _found(full if os.path.isdir(full) else os.path.dirname(full))


@lru_cache(maxsize=4096)
def _found(folder: str) -> Settings:
    for name, table in ((OWN, ()), (SHARED, ("tool", "cfgexplain"))):
        file = os.path.join(folder, name)
        if os.path.isfile(file) and (found := _read(file, table)) is not None:
            return found
    above = os.path.dirname(folder)
    return NONE if above == folder else _found(above)


def load(file: str) -> Settings:
    """The settings of a file that the user named."""
    table = ("tool", "cfgexplain") if os.path.basename(file) == SHARED else ()
    found = _read(file, table)
    if found is None:
        raise CfgexplainError(
            "usage", f"{clean(file)}: has no [tool.cfgexplain]", "Name a cfgexplain.toml, or add the table."
        )
    return found


def _read(file: str, table: tuple[str, ...]) -> Settings | None:
    """Settings of a file, or None where it lacks the table."""
    try:
        with open(file, "rb") as f:
            data = f.read(LARGEST + 1)
    except OSError as e:
        raise _fault(file, f"cannot be read ({e.strerror})", "Name a file of settings that can be read.") from None
    if len(data) > LARGEST:
        raise _fault(file, f"more than {LARGEST:,} bytes", "Name a file of settings.")
    if table and not _mentions(data):
        return None
    import tomllib

    try:
        value: object = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as e:
        raise _fault(file, f"not TOML ({clean(str(e), 200)})", "Correct the file.") from None
    for part in table:
        value = value.get(part) if isinstance(value, dict) else None
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _fault(file, "[tool.cfgexplain] is no table", "Write keys below [tool.cfgexplain].")
    return parse(value, file)


def _mentions(data: bytes) -> bool:
    """Whether a pyproject.toml may hold our table; the parser is not worth importing for the others."""
    bare = data.translate(None, b" \t\"'")
    return b"tool.cfgexplain" in bare or (b"cfgexplain" in bare and (b"[tool]" in bare or b"tool=" in bare))


def parse(table: Mapping[str, object], file: str) -> Settings:
    """A table of settings, each key and name of a check held against what exists.

    Raises:
        CfgexplainError: "usage": an unknown key, an unknown check, a value of the wrong type.
    """
    given: dict[str, object] = {}
    for key, value in table.items():
        if key not in KEYS:
            raise _fault(
                file, f"no setting is called {clean(key, 80)}", _nearest(key, KEYS) or f"There are {', '.join(KEYS)}."
            )
        given[key.replace("-", "_")] = KEYS[key](value, file, key)
    return Settings(file=file, **given)  # type: ignore[arg-type]


def check_names(names: Iterable[str], where: str = "") -> tuple[str, ...]:
    """Names of checks and patterns of them; one that fits none is an error that points to the nearest."""
    from fnmatch import fnmatchcase

    from cfgexplain.checks import NAMES

    kept = tuple(names)
    for name in kept:
        if not any(fnmatchcase(n, name) for n in NAMES):
            message = f"no check is called {clean(name, 80)}"
            hint = _nearest(name, NAMES) or "`cfgexplain rule` lists them."
            raise _fault(where, message, hint) if where else CfgexplainError("usage", message, hint)
    return kept


def _strings(value: object, file: str, key: str) -> list[str]:
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return value
    raise _fault(file, f"{key} is no list of texts", f'Write {key} = ["…"].')


def _checks(value: object, file: str, key: str) -> tuple[str, ...]:
    return check_names(_strings(value, file, key), file)


def _table(value: object, file: str, key: str) -> dict[str, object]:
    if isinstance(value, dict):
        return value
    raise _fault(file, f"{key} is no table", f"Write [{key}] and one line for each.")


def _severity(value: object, file: str, key: str) -> dict[str, Severity]:
    out: dict[str, Severity] = {}
    for name, word in _table(value, file, key).items():
        check_names((name,), file)
        found = next((s for s in SEVERITIES if s == word), None)
        if found is None:
            raise _fault(
                file,
                f"severity of {name} is {clean(repr(word), 40)}",
                "It is error, warning or note; `ignore` turns a check off.",
            )
        out[name] = found
    return out


def _fail_on(value: object, file: str, key: str) -> str:
    if isinstance(value, str) and value in (*SEVERITIES, "never"):
        return value
    raise _fault(file, f"{key} is {clean(repr(value), 40)}", "It is error, warning, note or never.")


def _per_path(value: object, file: str, key: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((p, _checks(names, file, f"{key}.{clean(p, 80)}")) for p, names in _table(value, file, key).items())


def _expect(value: object, file: str, key: str) -> dict[str, object]:
    out: dict[str, object] = {}
    for name, wanted in _table(value, file, key).items():
        if isinstance(wanted, dict):
            out.update({f"{name}.{k}": v for k, v in _expect(wanted, file, key).items()})
        elif isinstance(wanted, (str, bool, int, float, list)):
            out[name] = wanted
        else:
            raise _fault(
                file, f"{key}.{clean(name, 80)} is a date", "A config holds texts, numbers, true, false and lists."
            )
    return out


def _ranks(value: object, file: str, key: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_RANKS:
        return value
    raise _fault(
        file, f"{key} is {clean(repr(value), 40)}", "Write how many ranks the model will be split over, such as 8."
    )


def _fault(file: str, message: str, hint: str) -> CfgexplainError:
    return CfgexplainError("usage", f"{clean(file)}: {message}", hint)


def _nearest(name: str, names: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, list(names), 1)
    return f"Did you mean {near[0]}?" if near else ""


#: Setting → what reads it.
KEYS: Final[Mapping[str, Callable[[object, str, str], object]]] = {
    "select": _checks,
    "ignore": _checks,
    "severity": _severity,
    "fail-on": _fail_on,
    "per-path-ignores": _per_path,
    "expect": _expect,
    "tensor-parallel": _ranks,
}
