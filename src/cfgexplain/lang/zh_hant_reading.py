"""Traditional Chinese: what is found while a file is read: header, config text.

``finding.<check>.<key>`` → (message, hint), for ``str.format`` with the values of the problem.
"""

from typing import Final

_REWRITE: Final = "請用 safetensors 函式庫重新寫一次；不同的程式對它的解讀會不一樣。"
_NOT_LOADED: Final = "safetensors 函式庫不接受這個檔案。請重新寫一次，或回報給製作它的人。"
_DOWNLOAD: Final = "下載或複製提早中斷了：請重新取得這個檔案。"

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "finding.invalid-header.blank-start": (
        "{file}：檔頭以空白開頭；依格式，第一個字元必須是 '{{'。",
        _REWRITE,
    ),
    "finding.invalid-header.duplicate-key": (
        "{file}：檔頭裡的鍵 '{name}' 重複；兩個張量之中有一個讀不到。",
        _REWRITE,
    ),
    "finding.invalid-header.duplicate-field": (
        "{file}：檔頭的 '{tensor}' 裡，'{name}' 出現了兩次。",
        _REWRITE,
    ),
    "finding.invalid-header.metadata-type": (
        "{file}：__metadata__ 是 {given}，不是由文字組成的物件。",
        _NOT_LOADED,
    ),
    "finding.invalid-header.metadata-value": (
        "{file}：metadata 的值 '{name}' 是 {given}，不是字串；safetensors 函式庫不接受這個檔案。",
        "metadata 的值請寫成字串：json.dumps() 可以把任何東西變成字串。",
    ),
    "finding.invalid-header.reversed": (
        "{file}：張量 '{tensor}' 結束於資料的第 {end:,} 位元組，比開始的第 {begin:,} 位元組還前面。",
        _NOT_LOADED,
    ),
    "finding.invalid-header.size": (
        "{file}：張量 '{tensor}'（{dtype} {shape}）需要 {needed:,} 位元組；它的位移只給了 {given:,} 位元組。",
        _NOT_LOADED,
    ),
    "finding.invalid-header.sub-byte": (
        "{file}：張量 '{tensor}'（{dtype} {shape}）每個元素 {bits} 位元，結尾落在一個位元組的中間。",
        _NOT_LOADED,
    ),
    "finding.invalid-header.start-offset": (
        "{file}：第一個張量 '{tensor}' 從資料的第 {begin:,} 位元組開始，而不是 0。",
        _NOT_LOADED,
    ),
    "finding.invalid-header.hole": (
        "{file}：有 {hole:,} 位元組的資料不屬於任何張量：'{other}' 結束於 {other_end:,}，'{tensor}' 開始於 {begin:,}。",
        _NOT_LOADED,
    ),
    "finding.invalid-header.overlap": (
        "{file}：張量 '{tensor}' 從資料的第 {begin:,} 位元組開始，而 '{other}' 要到 {other_end:,} 才結束。",
        _NOT_LOADED,
    ),
    "finding.invalid-header.trailing-bytes": (
        "{file} 有 {size:,} 位元組，比檔頭所記的（{needed:,}）多 {extra:,}。",
        _NOT_LOADED,
    ),
    "finding.invalid-header.more": (
        "{file}：另有 {count:,} 處違反同一條規則（{rule}）。",
        _NOT_LOADED,
    ),
    "finding.unknown-dtype.dtype": (
        "{file}：這個版本不認得 dtype {dtype}；有 {count:,} 個張量是這種型別，第一個是 '{tensor}'。"
        "元素數依形狀計算，位元組數依位移計算。",
        "新版的 cfgexplain 可能認得，新版的 safetensors 也是。",
    ),
    "finding.truncated-file.data": (
        "{file} 有 {size:,} 位元組，應該要有 {needed:,}：少了 {missing:,}，連帶缺了 {count:,} 個張量。",
        _DOWNLOAD,
    ),
    "finding.duplicate-key.config": (
        "{file}：鍵 '{value}' 出現了兩次（{where}）；以最後一個為準。",
        "請移除不要的那一個。",
    ),
    "finding.duplicate-key.more": (
        "{file}：另有 {count:,} 個鍵重複出現。",
        "請移除不要的那些。",
    ),
    "finding.non-finite-number.config": (
        "{file}：{where} 是 {value}，JSON 沒有這種值；除了 Python 以外的程式都會拒讀這個檔案。",
        '請寫數字，或像 transformers 那樣寫 {{"__float__": "{value}"}}。',
    ),
    "finding.non-finite-number.more": (
        "{file}：另有 {count:,} 個數字是 NaN 或 Infinity。",
        '請寫數字，或像 transformers 那樣寫 {{"__float__": "Infinity"}}。',
    ),
}
