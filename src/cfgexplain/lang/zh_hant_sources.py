"""Traditional Chinese: what the sources see while reading: ``finding.<check>.<key>`` to (message, hint).

Placeholders are keys of the problem's ``values``. Notes have no hint.
"""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "finding.duplicate-key.index": (
        "索引裡有 {count} 個鍵出現兩次，而不同的程式會各讀其中一個：{names}。",
        "請用寫出權重的工具重新產生索引。",
    ),
    "finding.unsafe-shard-path.path": (
        "索引提到 {count} 個在模型資料夾之外的檔案，沒有打開它們：{paths}。",
        "在知道索引是誰寫的之前，請不要載入這個模型：這樣的路徑可以碰到其他檔案或 repo。",
    ),
    "finding.unsafe-shard-path.link": (
        "索引裡有 {count} 個檔案是指向模型資料夾之外的連結；沒有打開它們：{paths}。",
        "請把檔案複製到資料夾裡，或改用它們真正所在的資料夾。",
    ),
    "finding.index-missing-shard.some": (
        "索引提到的 {total} 個檔案裡有 {count} 個不在：{files}。它們裡面有 {tensors} 個張量，例如 {examples}。",
        "請下載或複製缺少的檔案。缺少的張量不會逐一回報。",
    ),
    "finding.index-missing-shard.none": (
        "索引提到的 {total} 個檔案一個都不在：{files}。",
        "請下載權重，或加上 --config-only 只解說設定檔。",
    ),
    "finding.index-missing-shard.incomplete": (
        "索引提到的 {total} 個檔案裡有 {count} 個不在：{files}。它們裡面有 {tensors} 個張量，例如 {examples}。"
        "是不是還沒下載完？這裡有 {partial} 個未完成的檔案（*.incomplete）。",
        "請繼續下載。缺少的張量不會逐一回報。",
    ),
    "finding.index-missing-shard.stale": (
        "索引提到的 {total} 個檔案裡有 {count} 個不在：{files}。索引是不是過時了？另有 {others} 個權重檔在："
        "{other_files}。",
        "請取得或產生與現有檔案相符的索引，或把索引移除。",
    ),
    "finding.index-missing-shard.set": (
        "一組編號檔案共 {total} 個，有 {count} 個不在，也沒有索引說明裡面有什麼：{files}。",
        "請下載或複製缺少的檔案，以及索引。",
    ),
    "finding.index-tensor-mismatch.absent": (
        "有 {count} 個張量，索引說在 {files} 裡，其實不在：{examples}。",
        "照這份索引載入會失敗，或讓它們留在隨機值：請重新產生索引，或取得正確的檔案。",
    ),
    "finding.index-tensor-mismatch.elsewhere": (
        "有 {count} 個張量所在的檔案和索引說的不同：{examples}。",
        "請用寫出權重的工具重新產生索引。",
    ),
    "finding.index-tensor-mismatch.unlisted": (
        "{files} 裡有 {count} 個張量不在索引裡：{examples}。",
        "照索引讀取的程式看不到它們：請重新產生索引，或取得正確的檔案。",
    ),
    "finding.index-tensor-mismatch.twice": (
        "有 {count} 個張量同時在兩個檔案裡（{files}）：{examples}。",
        "載入的是哪一個要看程式：請只留下其中一個。",
    ),
    "finding.index-total-size.differs": (
        "索引說總共 {total_size:,} 位元組，張量卻有 {bytes:,}。",
        "請把 metadata.total_size 設成 {bytes}：有些載入程式靠它規劃記憶體。",
    ),
    "finding.index-total-size.invalid": (
        "索引的 total_size 是 {value}，不是位元組數。",
        "請把 metadata.total_size 設成整數的位元組數：有些載入程式靠它規劃記憶體。",
    ),
    "finding.weights-not-fetched.lfs": (
        "{total} 個權重檔裡有 {count} 個是 Git LFS 指標檔：{files}。設定檔的解說不含它們。",
        "請在那個資料夾執行 git lfs pull。",
    ),
    "finding.weights-not-fetched.cache": (
        "{total} 個權重檔裡有 {count} 個不在本機快取裡：{files}。",
        "拿掉 --offline，就能從 hub 讀取它們的檔頭。",
    ),
    "finding.unreferenced-weights.index": (
        "有 {count} 個權重檔沒有列在索引裡，也沒有讀：{files}。",
        "請移除它們；如果別的工具需要就留著：照索引讀取的程式不會載入它們。",
    ),
    "finding.unreferenced-weights.choice": (
        "{read} 旁邊另有 {count} 個權重檔沒有讀：{files}。",
        "如果只是殘留的檔案請移除；載入程式會優先讀標準的檔名。",
    ),
    "note.variant": ("只有 {variant} 這個版本的權重；讀的就是它。", ""),
    "note.weights-skipped": ("只解說設定檔：{reason}。", ""),
    "note.cache-no-weights": ("本機快取裡沒有權重：只解說設定檔。", ""),
    "note.index-no-total-size": ("{file} 沒有 total_size：大小以檔頭為準。", ""),
    "note.progress": ("cfgexplain：hub 已回應 {done} / {asked}", ""),
    "note.progress-models": ("cfgexplain：hub 上的模型 {done} / {asked}", ""),
    "note.cache-show": ("{folder}：{files} 個模型，{bytes:,} 位元組", ""),
    "note.cache-clear": ("{folder}：移除了 {files} 個模型，{bytes:,} 位元組", ""),
    "note.extra-unreadable": ("略過了 {file}：{reason}。", ""),
}
