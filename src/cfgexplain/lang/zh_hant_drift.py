"""Traditional Chinese: findings and manual pages of ``check --against BASE``."""

from typing import Final

FINDINGS: Final[dict[str, tuple[str, str]]] = {
    "eps-drift.differs": (
        "{key} 是 {b}；在 {base} 裡是 {a}。",
        "ε 和權重是一體的：請改回 {a}。用錯了不會當掉，只是品質變差。",
    ),
    "activation-drift.differs": (
        "{key} 是 {b}；在 {base} 裡是 {a}。",
        "權重是用 {a} 訓練的：請改回來。",
    ),
    "activation-drift.kind": (
        "前饋網路的種類是 {b}；在 {base} 裡是 {a}。",
        "權重是用另一種訓練的：請檢查 model_type、激勵函數，以及複製了哪些矩陣。",
    ),
    "rope-drift.theta": (
        "RoPE 的 base (θ) 是 {b}；在 {base} 裡是 {a}。",
        "請改回來，除非模型用新的 base 繼續訓練過。短的 prompt 看不出差別。",
    ),
    "rope-drift.scaling": (
        "RoPE scaling 是 {b}；在 {base} 裡是 {a}。",
        "請改回來，除非模型針對它微調過。有些推論引擎不論長度一律套用，短的 prompt 也不例外。",
    ),
    "rope-drift.fraction": (
        "每個頭帶有位置資訊的比例是 {b}；在 {base} 裡是 {a}。",
        "請改回來：query 和 key 是用原來的比例訓練的。",
    ),
    "shape-drift.layers": (
        "這裡有 {b} 層；{base} 有 {a} 層。",
        "微調、轉檔和量化都不會改變層數。把層堆疊起來的合併是另一個模型：不要拿它和這個基底比。",
    ),
    "shape-drift.tensors": (
        "有 {count} 個張量的形狀和 {base} 不同：{where}。{example} 是 {b}，原本是 {a}。",
        "這些權重不是基底模型的，或者途中被裁切、補零或轉置過。",
    ),
    "shape-drift.size": (
        "大小和 {base} 不同：{what}。",
        "請改回來。就算形狀還對得上，各列也會被切成不同的頭，而且不會報錯。",
    ),
    "bias-drift.removed": (
        "{base} 的 {count} 個 bias 不見了：{where}。",
        "現在它們等於零。請從基底模型取回。",
    ),
    "bias-drift.added": (
        "多了 {count} 個 {base} 沒有的 bias：{where}。",
        "如果全是零，請刪掉。如果是訓練得來的，設定檔必須要求它們，否則會被丟掉。",
    ),
    "norm-drift.property": (
        "{key} 是 {b}；在 {base} 裡是 {a}。",
        "同樣的權重，norm 算出來的結果卻不同：請檢查 model_type 和設定檔裡與 norm 有關的鍵。",
    ),
    "norm-drift.removed": (
        "{base} 的 {count} 個 norm 張量不見了：{where}。",
        "函式庫會把它們的增益填成 1。請從基底模型取回。",
    ),
    "norm-drift.added": (
        "多了 {count} 個 {base} 沒有的 norm 張量：{where}。",
        "請檢查 model_type：基底模型計算時沒有它們。",
    ),
    "head-drift.tied": (
        "{base} 有自己的 LM head；這裡的 {key} 卻讓它與嵌入共用權重，而且沒有存任何 LM head。",
        "模型會用另一個矩陣輸出，而不是訓練時的那一個。請把 {key} 設為 false，並從基底模型取回 LM head。",
    ),
    "head-drift.gone": (
        "{base} 的 LM head 不見了：{where}。",
        "函式庫會用隨機值填補。請從基底模型取回。",
    ),
    "vocab-drift.size": (
        "詞彙表有 {b} 個項目；{base} 有 {a} 個。",
        "常常是故意的（新增 token、補齊大小）。請附上與它相符的 tokenizer。",
    ),
    "vocab-drift.rows": (
        "嵌入或 LM head 的列數和 {base} 不同：{where} 是 {b}，原本是 {a}。",
        "常常是故意的（新增 token、補齊大小）。請附上與它相符的 tokenizer。",
    ),
}


def _page(says: str, why: str, example: str, references: str = "") -> dict[str, str]:
    return {"says": says, "why": why, "example": example, "references": references}


RULES: Final[dict[str, dict[str, str]]] = {
    "eps-drift": _page(
        "使用 --against 時：ε 和基底模型的不同。",
        "微調、合併、轉檔、量化都不會改變 ε。但重新產生的設定檔會改用 transformers 的預設值，"
        "模型執行時的 ε 就和權重訓練時的不同："
        "不會當掉，只是品質悄悄變差。沒寫的鍵以預設值計，兩個數字換成 float32 相同就算相等。",
        "基底是 1e-05，合併後的設定檔弄丟了這個鍵，transformers 改用 1e-06。",
        "Zhang & Sennrich 2019, Root Mean Square Layer Normalization (arXiv:1910.07467)",
    ),
    "activation-drift": _page(
        "使用 --against 時：前饋網路的激勵函數或種類和基底模型的不同。",
        "形狀都一樣，所以什麼都載得進來；但每一層算的都是別的東西。"
        "同一個函數的不同名稱（gelu_new 和 gelu_pytorch_tanh、"
        "swish 和 silu）視為相等。",
        "Gemma 的各層是用 gelu_pytorch_tanh 訓練的，轉檔後 hidden_act 卻成了 gelu。",
        "Shazeer 2020, GLU Variants Improve Transformer (arXiv:2002.05202)",
    ),
    "rope-drift": _page(
        "使用 --against 時：RoPE 的 base (θ)、scaling 或比例和基底模型的不同。",
        "query 和 key 是依固定的旋轉速度訓練的。換了 θ 或 scaling，短的 prompt 看起來正常，長的就會崩壞。"
        "為了更長的上下文而微調過的模型是故意不同的：在那裡請忽略這項檢查。"
        "舊的 rope_theta、rope_scaling 和新的 rope_parameters 會依實際意義來比較。",
        "設定檔重寫時弄丟了 rope_theta 500000，而預設值是 10000。",
        "Su et al. 2021, RoFormer (arXiv:2104.09864); Peng et al. 2023, YaRN (arXiv:2309.00071)",
    ),
    "shape-drift": _page(
        "使用 --against 時：形狀、大小或層數和基底模型的不同。",
        "比較的是邏輯上的形狀：量化的權重以它所代表的形狀計。頭數變了而所有形狀仍對得上時也會回報："
        "各列會被切成不同的頭，而且不會報錯。",
        "num_attention_heads 從 32 變成 64：q_proj 的大小和原來一樣。",
    ),
    "bias-drift": _page(
        "使用 --against 時：基底模型的 bias 不見了，或多了別的 bias。",
        "不見的 bias 等於零；架構裡沒有位置的 bias 在載入時會被略過。"
        "量化匯出工具加上的全零 bias 已在 unexpected-bias 回報，"
        "這裡不再重複。",
        "把 Qwen2.5 當成 Llama 轉檔，弄丟了 q、k、v 的 bias。",
    ),
    "norm-drift": _page(
        "使用 --against 時：norm 的種類、位置或增益形式不同，或有增有減。",
        "這些情況形狀都不變，算出來的結果卻變了。Gemma 的增益是 1 + w，轉成增益為 w 的架構時如果沒有加 1，"
        "每個 norm 都會是錯的。",
        "轉檔時弄丟了 Qwen3 的 q_norm 和 k_norm。",
        "Zhang & Sennrich 2019 (arXiv:1910.07467); Xiong et al. 2020 (arXiv:2002.04745)",
    ),
    "head-drift": _page(
        "使用 --against 時：基底模型有自己的 LM head，這個模型沒有。",
        "設定檔若讓 LM head 與嵌入共用權重，就不會出現任何錯誤：嵌入會頂替它的位置，輸出則變成雜訊。",
        "合併時丟掉了 lm_head.weight，又寫上 tie_word_embeddings: true。",
    ),
    "vocab-drift": _page(
        "使用 --against 時：詞彙表的大小和基底模型的不同。",
        "常常是故意的：新增 token，或補到整數大小。這時 tokenizer 必須是與它相符的那一個。",
        "加了一個 pad token：32000 變成 32001。",
    ),
}
