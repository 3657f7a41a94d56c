"""Languages: the same keys and placeholders in every catalogue, in their own words; and which one is used."""

from __future__ import annotations

import json
import os
import pkgutil
import re
import string
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import cfgexplain.lang
from cfgexplain.errors import CfgexplainError
from cfgexplain.lang import LANGUAGES, catalogue
from cfgexplain.lang.choice import BEGINNINGS, SAMPLES, chosen, from_environment, language_of, shows
from cfgexplain.render.text_layout import width_of, wrap
from cli import shell

if TYPE_CHECKING:
    from pathlib import Path

OTHERS = [lang for lang in LANGUAGES if lang != "en"]
#: "" for the module that collects them all, "_diff" and so on for the others.
PARTS = sorted(
    m.name.removeprefix("en") for m in pkgutil.iter_modules(cfgexplain.lang.__path__) if m.name.split("_")[0] == "en"
)
TABLES = ("TEXTS", "FINDINGS", "RULES", "KEYS")
#: Words that stay as they are: names of things, and what formulas are made of.
NAMES = frozenset({
    "a", "act", "adapter", "attention", "b", "bias", "cache", "d", "down", "dtype", "ffn", "gate", "geglu", "glu",
    "gqa", "grouped", "head", "hidden", "k", "kv", "latent", "layernorm", "lm", "logits", "mha", "mixer", "mla",
    "mlp", "mqa", "multi", "norm", "projector", "query", "reglu", "rmsnorm", "rope", "router", "scaling",
    "states", "svg", "swiglu", "theta", "token", "up", "x", "y",
})  # fmt: skip


def flat(part: str, lang: str) -> dict[str, str]:
    """Every text of one module: table and key → text."""
    module = import_module(f"cfgexplain.lang.{LANGUAGES[lang]}{part}")
    found: dict[str, str] = {}
    for table in TABLES:
        for key, value in getattr(module, table, {}).items():
            if isinstance(value, str):
                found[f"{table} {key}"] = value
            elif isinstance(value, tuple):
                found |= {f"{table} {key} {k}": text for k, text in enumerate(value)}
            else:
                found |= {f"{table} {key} {k}": text for k, text in value.items()}
    return found


def fields(template: str) -> set[tuple[str, str]]:
    """Placeholders with their formats: a number that has thousands separated in one language has them in all."""
    return {(name, spec or "") for _, name, spec, _ in string.Formatter().parse(template) if name}


def is_rule(key: str) -> bool:
    """Manual pages are shown as they are; braces in them belong to names of tensors."""
    return key.startswith("RULES")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("lang", OTHERS)
def test_every_module_has_the_same_keys_and_placeholders(lang: str, part: str) -> None:
    english, other = flat(part, "en"), flat(part, lang)
    assert english.keys() == other.keys()
    assert [k for k in english if not is_rule(k) and fields(english[k]) != fields(other[k])] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_text_can_be_formatted(lang: str) -> None:
    for part in PARTS:
        for key, text in flat(part, lang).items():
            if not is_rule(key):
                for _, name, _, _ in string.Formatter().parse(text):
                    assert name is None or name.isidentifier(), key


@pytest.mark.parametrize("lang", OTHERS)
def test_texts_are_in_the_language_but_for_names_and_formulas(lang: str) -> None:
    same = []
    for part in PARTS:
        english, other = flat(part, "en"), flat(part, lang)
        for key, text in english.items():
            if text != other[key] or " ref." in key or key.endswith(" references"):
                continue
            words = re.findall(r"[a-z]+", re.sub(r"\{[^}]*\}", "", text).lower())
            if not NAMES.issuperset(words):
                same.append((key, text))
    assert same == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_language_is_complete(lang: str) -> None:
    assert lang in SAMPLES
    assert lang in {language for _, language in BEGINNINGS}
    assert catalogue(lang).text("text.heading.params") == flat("_text", lang)["TEXTS text.heading.params"]


# --- Traditional Chinese ---


HAN = "[\u4e00-\u9fff]"


def chinese() -> dict[str, str]:
    return {f"{part} {key}": text for part in PARTS if part for key, text in flat(part, "zh-Hant").items()}


def test_chinese_is_traditional() -> None:
    """Big5, Taiwan's own encoding, has no simplified characters."""
    bad = {}
    for key, text in chinese().items():
        wrong = [ch for ch in text if "\u3400" <= ch <= "\u9fff" and not _big5(ch)]
        if wrong:
            bad[key] = wrong
    assert bad == {}


def _big5(ch: str) -> bool:
    try:
        ch.encode("big5")
    except UnicodeEncodeError:
        return False
    return True


#: Words of the mainland, each with what a Taiwanese engineer says.
MAINLAND = {
    "內存": "記憶體", "默認": "預設", "信息": "資訊", "數據": "資料", "通過": "透過", "程序": "程式", "文件": "檔案",
    "加載": "載入", "緩存": "快取", "字節": "位元組", "比特": "位元", "數組": "陣列", "字符": "字元", "對象": "物件",
    "函數庫": "函式庫", "代碼庫": "程式庫", "質量": "品質", "網絡": "網路", "算法庫": "演算法", "激活": "激勵",
    "概率": "機率", "方差": "變異數", "殘差連接": "殘差", "並行": "平行", "優化器": "最佳化器", "支持": "支援",
    "服務器": "伺服器", "視頻": "影片", "圖像": "影像", "歸一化": "正規化", "標準化": "正規化", "推理": "推論",
    "魯棒": "穩健", "隊列": "佇列", "線程": "執行緒", "進程": "行程", "屏蔽": "遮罩", "掩碼": "遮罩", "高效": "有效率",
    "溢出": "溢位", "上下文窗口": "上下文長度", "窗口": "視窗", "實現": "實作", "缺省": "預設",
    "庫函數": "函式庫", "參考實現": "參考實作", "訪問": "存取", "保存": "儲存", "設置": "設定", "模塊": "模組",
}  # fmt: skip


def test_chinese_has_the_words_of_taiwan() -> None:
    hits = {key: [w for w in MAINLAND if w in text] for key, text in chinese().items()}
    assert {k: v for k, v in hits.items() if v} == {}


def test_chinese_punctuation_is_full_width_in_prose() -> None:
    """Half-width marks stand in formulas and names only: never beside a Chinese character."""
    bad = {
        key: text
        for key, text in chinese().items()
        if re.search(f"{HAN}[,;:?!.](?!\\w)|[,;?!]{HAN}|{HAN}\\(|\\){HAN}|。。|，，|、、", text)
        or re.search(f"{HAN} +[，。、；：）」]|[（「] +{HAN}|[，。、；：（「」] ", text)
    }
    assert bad == {}


def test_chinese_has_one_style_of_brackets() -> None:
    """Full-width after a Chinese character, whatever stands between them."""
    assert {key: text for key, text in chinese().items() if re.search(f"{HAN} \\(", text)} == {}


def test_chinese_has_a_space_between_words_of_both_scripts() -> None:
    """``token 的``, not ``token的``; a placeholder may become either, and is judged as a foreign word."""
    bad = {}
    for key, text in chinese().items():
        if is_rule(key.partition(" ")[2]) or "text.value.mix" in key or "attention.layers" in key:
            continue
        if re.search(f"{HAN}[A-Za-z0-9{{]|[A-Za-z0-9}}]{HAN}", text):
            bad[key] = text
    assert bad == {}


# --- which language ---


@pytest.mark.parametrize(
    ("tag", "lang"),
    [
        ("zh-Hant", "zh-Hant"), ("zh_TW.UTF-8", "zh-Hant"), ("zh_TW", "zh-Hant"), ("zh-tw", "zh-Hant"),
        ("zh_HK.utf8", "zh-Hant"), ("zh_Hant_TW", "zh-Hant"), ("ZH-HANT", "zh-Hant"), ("zh_TW@radical", "zh-Hant"),
        ("en", "en"), ("en_GB.UTF-8", "en"), ("zh_CN.UTF-8", None), ("zh", None), ("zh-Hans", None), ("de_DE", None),
        ("C", None), ("C.UTF-8", None), ("", None), ("zh_TWO", None),
    ],
)  # fmt: skip
def test_tags(tag: str, lang: str | None) -> None:
    assert language_of(tag) == lang


@pytest.mark.parametrize(
    ("environ", "lang"),
    [
        ({"LANG": "zh_TW.UTF-8"}, "zh-Hant"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, "zh-Hant"),
        ({"LANG": "zh_TW.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "zh_TW.UTF-8", "LC_ALL": ""}, "zh-Hant"),
        ({"LANG": "zh_TW.UTF-8", "LC_CTYPE": "C"}, "zh-Hant"),
        ({"LANG": "zh_CN.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_the_first_variable_that_is_set_decides(environ: dict[str, str], lang: str) -> None:
    assert from_environment(environ) == lang


def test_what_is_given_counts_more_than_the_environment() -> None:
    taiwan = {"LANG": "zh_TW.UTF-8"}
    assert chosen("en", taiwan, "utf-8") == ("en", "")
    assert chosen("zh-TW", {}, "utf-8") == ("zh-Hant", "")
    assert chosen(None, taiwan, "utf-8") == ("zh-Hant", "")


def test_a_language_that_the_output_cannot_show_gives_way_to_english() -> None:
    assert chosen("zh-Hant", {}, "ascii") == ("en", "zh-Hant")
    assert chosen(None, {"LANG": "zh_TW"}, "cp437") == ("en", "zh-Hant")
    assert shows("cp950", "zh-Hant")
    assert shows("big5", "zh-Hant")
    assert not shows("no-such-encoding", "zh-Hant")


def test_a_language_that_is_not_there_is_an_error() -> None:
    with pytest.raises(CfgexplainError, match="no texts in the language tlh"):
        chosen("tlh", {}, "utf-8")


@pytest.mark.parametrize("form", ["json", "jsonl", "sarif", "github", "junit"])
def test_the_environment_changes_nothing_for_machines(form: str) -> None:
    args = ("check", "-", "--format", form)
    config = b'{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": "32"}'
    plain = shell(*args, stdin=config, env={"LANG": "C.UTF-8"})
    taiwan = shell(*args, stdin=config, env={"LANG": "zh_TW.UTF-8", "LC_ALL": "zh_TW.UTF-8"})
    assert plain.out == taiwan.out
    assert plain.code == taiwan.code
    asked = shell(*args, "--lang", "zh-Hant", stdin=config)
    assert asked.out != plain.out
    assert asked.code == plain.code


def test_the_environment_changes_nothing_in_a_comparison_for_machines() -> None:
    args = ("diff", "example:llama-2-7b", "example:llama-3-8b")
    taiwan = {"LANG": "zh_TW.UTF-8", "PYTHONIOENCODING": "utf-8"}
    assert shell(*args, "--json").out == shell(*args, "--json", env=taiwan).out
    assert "處不同" in shell(*args, env=taiwan).out


def test_json_in_chinese_is_the_same_but_for_the_texts() -> None:
    args = ("example:llama-2-7b", "--format", "json")
    plain = json.loads(shell(*args).out)["reports"][0]
    chinese = json.loads(shell(*args, "--lang", "zh-Hant", env={"PYTHONIOENCODING": "ascii"}).out)["reports"][0]
    assert [e["key"] for e in plain["explanations"]] == [e["key"] for e in chinese["explanations"]]
    assert [e["formula"] for e in plain["explanations"]] == [e["formula"] for e in chinese["explanations"]]
    assert all(a["text"] != b["text"] for a, b in zip(plain["explanations"], chinese["explanations"], strict=True))
    assert {k: v for k, v in plain.items() if k != "explanations"} == {
        k: v for k, v in chinese.items() if k != "explanations"
    }


def test_text_follows_the_environment() -> None:
    p = shell("example:llama-2-7b", env={"LANG": "zh_TW.UTF-8", "PYTHONIOENCODING": "utf-8"})
    assert "這些數字為什麼是這樣" in p.out
    assert "Why the numbers" not in p.out


@pytest.mark.parametrize(
    "command", [("example:llama-2-7b",), ("rule", "eps-missing"), ("key", "rope_theta"), ("tour",)]
)
def test_an_output_without_chinese_is_english_with_one_note(command: tuple[str, ...]) -> None:
    p = shell(*command, "--lang", "zh-Hant", env={"PYTHONIOENCODING": "ascii"})
    assert p.code == 0
    assert p.out.isascii()
    assert not re.search(r"\\u[3-9f][0-9a-f]{3}", p.out)
    assert p.out == shell(*command, env={"PYTHONIOENCODING": "ascii"}).out
    assert p.err.count("\n") == 1
    assert "cannot show zh-Hant" in p.err


def test_a_file_can_hold_every_language(tmp_path: Path) -> None:
    out = tmp_path / "report.txt"
    p = shell("example:llama-2-7b", "--lang", "zh-Hant", "-o", str(out), env={"PYTHONIOENCODING": "ascii"})
    assert p.code == 0
    assert p.err == ""
    assert "這些數字為什麼是這樣" in out.read_text(encoding="utf-8")


def test_errors_stay_english() -> None:
    p = shell("check", "/no/such/place", "--lang", "zh-Hant", env={"LANG": "zh_TW.UTF-8"})
    assert p.code == 3
    assert p.err.isascii()
    wrong = shell("example:llama-2-7b", "--lang", "klingon")
    assert wrong.code == 2
    assert "There are: en, zh-Hant." in wrong.err


# --- wide characters ---


def test_columns_align_by_what_a_terminal_shows() -> None:
    out = shell("example:mixtral-8x7b", "--lang", "zh-Hant", "-q", env={"PYTHONIOENCODING": "utf-8"}).out
    rows = [m for m in (re.match(r"(  \S+(?: \S+)*  +)\S", line) for line in out.split("\n\n")[1].split("\n")) if m]
    assert len(rows) > 8
    assert len({width_of(m.group(1)) for m in rows}) == 1


def test_a_run_in_english_reads_no_table_of_widths_and_no_other_language() -> None:
    code = (
        "import sys; sys.argv = ['cfgexplain', 'example:llama-2-7b']\n"
        "from cfgexplain.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(' '.join(sorted(sys.modules)), file=sys.stderr)\n"
    )
    p = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": "utf-8"}
    )
    loaded = set(p.stderr.decode().split())
    assert "cfgexplain.lang.en" in loaded
    assert not {m for m in loaded if m == "unicodedata" or m.startswith("cfgexplain.lang.zh")}


@pytest.mark.parametrize("columns", [20, 33, 40, 76])
def test_lines_of_wide_characters_fit_and_begin_well(columns: int) -> None:
    for text in filter(None, chinese().values()):
        if len(text) == 1:
            continue
        lines = wrap(text, columns)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        for line in lines:
            if " " in line or not line.isascii():
                assert line[0] not in "，。、；：？！）」』】〉》", line
                assert len(line) == 1 or line[-1] not in "（「『【〈《", line
        # A word stays whole, and punctuation with what it belongs to: such a piece may stand out alone.
        assert all(width_of(line) <= columns or len(re.findall(HAN, line)) <= 1 for line in lines)


def test_names_in_a_finding_are_listed_in_the_language() -> None:
    from cfgexplain.checks import some

    names = [f"n{k}" for k in range(6)]
    assert some(names, "en") == "n0, n1, n2 and 3 more"
    assert some(names, "zh-Hant") == "n0、n1、n2，另外還有 3 種"
    assert some(names[:4], "en") == "n0, n1, n2, n3", "one more is named itself"
    assert some([""], "en") == '""'
