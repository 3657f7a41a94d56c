"""Traditional Chinese: labels that several outputs share: parts of a model by role, columns of tables, legends."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # --- roles of tensors ---
    "role.embedding": "嵌入",
    "role.position-embedding": "位置嵌入",
    "role.attention": "注意力",
    "role.cross-attention": "交叉注意力",
    "role.block-norm": "各層的 norm",
    "role.attention-norm": "注意力內的 norm",
    "role.final-norm": "最後的 norm",
    "role.other-norm": "其他 norm",
    "role.ffn": "前饋網路 (FFN)",
    "role.experts": "專家",
    "role.shared-experts": "共享專家",
    "role.router": "router",
    "role.mixer": "mixer",
    "role.lm-head": "LM head",
    "role.mtp": "MTP",
    "role.vision": "影像編碼器",
    "role.audio": "音訊編碼器",
    "role.projector": "projector",
    "role.adapter": "adapter",
    "role.quantization": "量化的 scale",
    "role.buffer": "緩衝區",
    "role.other": "其他",
    "role.unclassified": "用途不明",
    # --- what the total leaves out ---
    "role.apart.mtp": "預測更後面的 token 的層，不算進總參數量",
    "role.apart.adapter": "模型本身以外的權重，不算進總參數量",
    "role.apart.quantization": "量化權重的 scale、zero point 等等，不算進總參數量",
    "role.apart.buffer": "存起來但不是學來的遮罩與表格，不算進總參數量",
    "role.apart.row": "{label}：{text}",
    # --- lists ---
    "join.more": "{names}，另外還有 {count} 種",
    # --- the end of a report ---
    "text.next.key": "只看一個數字的細節：--key {key}。",
    "text.next.tour": "看不懂這些詞：cfgexplain tour。",
    # --- memory ---
    "text.memory.windowed": "{total} 層裡有 {count} 層只保留最後 {window} 個 token",
    "text.memory.windowed.unknown": "{total} 層裡有 {count} 層只保留視窗內最後的 token",
    "text.memory.row.with-state": "權重 + 狀態",
    "text.memory.legend.weights": (
        "權重會用掉一張顯示卡的幾成，或至少需要幾張卡 (×)：這是估計。卡的容量以名稱上的 GB 計，1 GB 是 10 億位元組；"
        "許多卡其實是同樣數字的 GiB，多 7%。activation 和推論引擎自己保留的空間還要另外加上，這裡沒有估計。"
    ),
    "text.memory.factor.layer": "{n} 層",
    "text.memory.factor.layers": "{n} 層",
    "text.memory.factor.pair": "2（key 與 value）",
    "text.memory.factor.head": "{n} 個頭",
    "text.memory.factor.heads": "{n} 個頭",
    "text.memory.factor.kv-head": "{n} 個 KV 頭",
    "text.memory.factor.kv-heads": "{n} 個 KV 頭",
    "text.memory.factor.latent": "（潛在向量 {latent} + 旋轉部分 {rotary}）",
    "text.memory.factor.byte": "{n} 位元組",
    "text.memory.factor.bytes": "{n} 位元組",
    # --- the drawing ---
    "text.draw.legend": "⊕ 加回殘差流",
    "text.draw.legend.gated": "⊕ 加回殘差流，× 逐個數字相乘",
    # --- Markdown ---
    "markdown.column.severity": "嚴重程度",
    "markdown.column.check": "檢查",
    "markdown.column.where": "位置",
    "markdown.column.what": "說明",
    "markdown.column.fact": "項目",
    "markdown.column.value": "值",
    "markdown.column.origin": "出處",
    "markdown.column.part": "部分",
    "markdown.column.params": "參數量",
    "markdown.column.share": "占比",
    "markdown.column.bytes": "大小",
    "markdown.column.how": "算法",
    "markdown.unread": "未能讀取",
    "markdown.unread.one": "1 個未能讀取",
    "markdown.unread.many": "{count} 個未能讀取",
    "markdown.more": "……還有 {count} 個。",
    "markdown.clean.one": "檢查了 1 個模型：沒有發現問題。",
    "markdown.clean.many": "檢查了 {count} 個模型：沒有發現問題。",
    "markdown.summary.one": "1 個模型：{found}。",
    "markdown.summary.many": "{count} 個模型：{found}。",
    # --- manual pages ---
    "page.rule.severity.error": "錯誤：`cfgexplain check` 會以結束碼 1 結束（除非指定 --fail-on never）。",
    "page.rule.severity.warning": "警告：`cfgexplain check` 會列出來；加上 --fail-on warning 時以結束碼 1 結束。",
    "page.rule.severity.note": "附註：`cfgexplain check` 會列出來；加上 --fail-on note 時以結束碼 1 結束。",
    "page.rule.todo": "該怎麼做",
}
