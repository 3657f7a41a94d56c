"""Traditional Chinese: what each finding says, and what to do about it.

Keys are "check.variant"; placeholders are the values of the problem, and ``{where}``, the tensors folded into
patterns.
"""

from typing import Final

FINDINGS: Final[dict[str, tuple[str, str]]] = {
    # --- norms ---
    "missing-final-norm.absent": (
        "缺少最後一層之後的 norm：找不到張量 {where}。",
        "少了它，LM head 讀到的是沒有縮放過的殘差流，算出來的 logits 是錯的。請從原始 checkpoint 取回這個張量；轉檔"
        "工具如果只複製各層，就會漏掉它。",
    ),
    "missing-final-norm.encoder": (
        "缺少編碼器最後一層之後的 norm：沒有 {where} 的張量。",
        "少了它，解碼器的交叉注意力會讀到編碼器未經縮放的殘差流。請從原始 checkpoint 取回這個張量。",
    ),
    "missing-layer-norm.absent": (
        "缺少 {count} 個 norm 張量：{where}。",
        "依這個架構，這類的每一層都有這個 norm。請從原始 checkpoint 複製過來。",
    ),
    "norm-type-mismatch.absent": (
        "這個架構用的是帶 bias 的 LayerNorm，但 checkpoint 裡沒有任何 norm 帶 bias：{where}。",
        "可能是 model_type 寫錯了（其實是 RMSNorm 的模型），也可能是轉檔時把 bias 弄丟了。",
    ),
    # --- biases ---
    "unexpected-bias.norm": (
        "這個架構的 norm（{type}）沒有 bias，checkpoint 裡卻有 {count} 個：{where}。",
        "載入模型時會忽略它們。如果模型是帶著它們訓練的，那就是 model_type 指到別的架構了。",
    ),
    "unexpected-bias.plain": (
        "{family} 沒有 {count} 個 bias 張量的位置：{where}。",
        "載入模型時會忽略它們。如果模型需要，請在設定檔打開對應的 bias 開關，或改成正確的 model_type；不需要就刪掉。",
    ),
    "unexpected-bias.quantized": (
        "{family} 沒有 {count} 個 bias 張量的位置：{where}。",
        "量化匯出工具常常會寫入全零的 bias（這裡不讀張量的值）。請刪掉它們；如果原始模型本來就有，請打開 bias 開關。",
    ),
    "missing-bias.always": (
        "缺少 {count} 個 bias 張量：{where}。這個架構一定有這些 bias。",
        "載入模型時它們會是零或隨機值，輸出品質會變差。請從原始 checkpoint 補回來。",
    ),
    "missing-bias.flag": (
        "缺少 {count} 個 bias 張量：{where}。設定檔要求要有（{flag}）。",
        "請把 {flag} 設成 checkpoint 訓練時的值，或從原始 checkpoint 補回 bias。",
    ),
    # --- tensors ---
    "missing-tensor.absent": (
        "缺少 {count} 個張量：{where}。",
        "函式庫載入模型時會用隨機值填補。請從原始 checkpoint 補回來。",
    ),
    "missing-tensor.companion": (
        "量化權重（{format}）少了還原所需的 {count} 個張量：{where}。",
        "沒有 scale，打包的數字就沒有意義：載入會失敗，或得到雜訊。請補回這些張量，或重新量化。",
    ),
    "missing-tensor.experts": (
        "{key} = {wanted}，但只存了 {stored} 個專家。每一層都完全沒有這些專家的張量：{gone}。",
        "請把 {key} 設為 {stored}。如果是弄丟了專家，請補回來：函式庫會用隨機值填補。",
    ),
    "missing-tensor.norms": (
        "缺少 {count} 個 norm 張量：{where}。",
        "函式庫會把增益填成 1、bias 填成 0：不會出現任何錯誤，但輸出品質會變差。請從原始 checkpoint 補回來。",
    ),
    "missing-tensor.embedding": (
        "缺少 token 嵌入（{where}），卻存了 LM head。",
        "兩個名稱共用同一個張量時，safetensors 檔只會留下其中一個；這裡很可能是把嵌入存成了 LM head 的名稱。請用它自"
        "己的名稱儲存，或設定 tie_word_embeddings。",
    ),
    "missing-tensor.layout": (
        "張量的排列方式和這個 model_type 不同：預期的名稱少了 {missing} 個，另外多出 {unexpected} 個（找到 {example}，"
        "預期是 {wanted}）。",
        "請檢查 model_type，或把名稱轉換成這個架構的排列方式。",
    ),
    "unexpected-tensor.stranger": (
        "{family} 沒有 {count} 個張量的位置：{where}。",
        "載入模型時會忽略它們。如果它們有用，就表示 model_type 寫成了別的架構。",
    ),
    "shape-mismatch.root": (
        "{key} = {value} 會讓 {tensor} 的形狀是 {expected_shape}，但存的是 {stored_shape}（{rule}）。{key} = {right} 時所有張量都相符。"
        "不符的張量有 {count} 個。",
        "請把 {key} 設為 {right}。",
    ),
    "shape-mismatch.rule": (
        "{tensor} 的形狀是 {stored_shape}，但依設定檔應該是 {expected_shape}（{rule}）；有 {count} 個張量是這樣。",
        "載入會失敗，或遺失資料。請修正設定檔或張量。",
    ),
    "shape-mismatch.key": (
        "{tensor} 的形狀是 {stored_shape}，但依 {key} = {value} 應該是 {expected_shape}（{rule}）；"
        "有 {count} 個張量是這樣。",
        "請把 {key} 設成與張量相符的值。",
    ),
    "shape-mismatch.turned": (
        "{tensor} 存成了 {stored_shape}，是 {expected_shape} 的轉置（{rule}）；有 {count} 個張量是這樣。",
        "請轉置它：線性層存的是 [out, in]，GPT-2 的 Conv1D 存的是 [in, out]。",
    ),
    # --- quantization ---
    "quantization-group-mismatch.divide": (
        "{tensor} 的 {inner} 個輸入無法用 {group} 個一組整除（餘 {rest}）；有 {count} 個張量是這樣：{where}。",
        "kernel 以完整的 group 為單位運算，不接受這樣的矩陣。請用能整除寬度的 group size 來量化，或先把權重補零。",
    ),
    "quantization-group-mismatch.config": (
        "{key} = {value} 無法用 {group} 個一組整除（餘 {rest}）。",
        "kernel 以完整的 group 為單位運算，不接受這樣的矩陣。請改用能整除寬度的 group size。",
    ),
    "quantization-group-mismatch.shape": (
        "{tensor} 的形狀是 {stored_shape}，"
        "但依它的權重（{weight_shape}）和 group size（{group}）應該是 {expected_shape}；"
        "有 {count} 個張量是這樣：{where}。",
        "量化設定裡的 group size 不是當初量化權重用的，或者這些張量來自兩次不同的量化。",
    ),
    "quantization-group-mismatch.shape-alone": (
        "{tensor} 的形狀是 {stored_shape}，但依它的權重（{weight_shape}）應為 {expected_shape}。這樣的張量有 {count} 個：{where}。",
        "這些張量來自兩次不同的量化，或其中一個被裁切或填補過。",
    ),
    "quantization-config-mismatch.nothing": (
        "設定檔宣告權重是量化過的（{key}: {method}），但沒有任何張量是量化的。",
        "載入程式會去找打包（packed）的張量，卻一個也找不到。如果這是反量化過的 checkpoint，請移除量化設定；"
        "否則請上傳量化後的權重。",
    ),
    "quantization-config-mismatch.undeclared": (
        "有 {count} 個權重是量化的（{format}：{where}），但沒有任何量化設定說明這件事。",
        "載入程式會把打包的張量當成一般張量，結果是載入失敗，或載入一堆雜訊。請把量化工具的設定放進 config.json"
        "（quantization_config）。",
    ),
    "quantization-config-mismatch.bits": (
        "設定檔宣告 {declared} 位元，但張量裡每個權重是 {stored} 位元（有 {count} 個：{where}）。",
        "請把 bits 設成量化時真正用的位元數；載入程式會依這個數字解包。",
    ),
    "index-total-parameters.differs": (
        "索引宣告 total_parameters = {declared:,}，但這些張量共有 {counted:,} 個參數。",
        "模型 hub 會顯示索引裡的這個數字。請更正，或移除它。",
    ),
    "index-total-parameters.stored": (
        "索引宣告 total_parameters = {declared:,}：那是儲存的元素數（{elements:,}），把打包的權重每個只算成一個。"
        "這些張量其實有 {counted:,} 個參數。",
        "應該計算打包的權重所代表的數量。請更正這個數字，或移除它。",
    ),
    "wrapped-names.all": (
        "全部 {count} 個名稱都帶有訓練包裝（wrapper）的前綴 {prefix}。",
        "沒有東西能用這些名稱載入。請儲存解開包裝後的模型，或去掉前綴。以下內容是去掉前綴後讀出來的。",
    ),
    "dtype-mismatch.stored": (
        "{key} 寫的是 {declared}，但有 {count} 個張量存成 {stored}。",
        "這裡的大小以檔頭為準。如果 {key} 只是殘留下來的值，請更正。",
    ),
    # --- sizes ---
    "head-mismatch.root": (
        "{key} = {value} 會讓 {tensor} 的形狀是 {expected_shape}，但存的是 {stored_shape}（{rule}）。{key} = {right} 時所有張量都相符。"
        "不符的張量有 {count} 個。",
        "請把 {key} 設為 {right}。",
    ),
    "head-mismatch.groups": (
        "{heads} 個注意力頭無法被 {kv_heads} 個 KV 頭整除。",
        "Grouped-query attention 需要每個 KV 頭對應整數個 query 頭。",
    ),
    "head-mismatch.divide": (
        "隱藏維度 {hidden} 無法被 {heads} 個注意力頭整除，而且沒有指定 head_dim。",
        "請設定 head_dim，或改用能整除隱藏維度的頭數。",
    ),
    "head-mismatch.key": (
        "依 {key} = {value}，{tensor} 應該是 {expected_shape}，實際存的卻是 {stored_shape}；有 {count} 個張量是這樣。",
        "請把 {key}（以及 head_dim）設成與投影矩陣相符的值。",
    ),
    "head-mismatch.rule": (
        "{tensor} 的形狀是 {stored_shape}，但依頭數應該是 {expected_shape}（{rule}）；有 {count} 個張量是這樣。",
        "請把頭數和 head_dim 設成與投影矩陣相符的值。",
    ),
    "layer-count-mismatch.extra": (
        "{key} 寫 {wanted} 層，checkpoint 有 {stored} 層：編號 {extra} 的層超出層數，會被丟掉。",
        "請把 {key} 設成 {stored}；如果那些是合併模型時留下來的，請移除多餘的層。",
    ),
    "layer-count-mismatch.absent": (
        "{key} 寫 {wanted} 層，checkpoint 有 {stored} 層：編號 {absent} 的層什麼都沒有存。",
        "函式庫會用隨機值填補這些層。請把它們補回來，或把 {key} 設成 {stored} 並重新編號。",
    ),
    "layer-count-mismatch.both": (
        "{key} 寫 {wanted} 層；缺少編號 {absent} 的層，而編號 {extra} 的層超出層數。",
        "編號中間有缺口，像是合併模型後留下的：請把各層重新連續編號。",
    ),
    "vocab-size-mismatch.root": (
        "{key} = {value} 會讓 {tensor} 的形狀是 {expected_shape}，但存的是 {stored_shape}（{rule}）。{key} = {right} 時所有張量都相符。"
        "不符的張量有 {count} 個。",
        "請把 {key} 設為 {right}。",
    ),
    "vocab-size-mismatch.key": (
        "{key} = {value}，但 {tensor} 有 {stored} 列。",
        "請把 {key} 設成 {stored}，或把嵌入調整成 tokenizer 的大小。",
    ),
    "vocab-size-mismatch.rule": (
        "{tensor} 有 {stored} 列，設定檔給的是 {config}。",
        "請把詞彙表大小設成 {stored}，或把嵌入調整成 tokenizer 的大小。",
    ),
    "intermediate-size-mismatch.root": (
        "{key} = {value} 會讓 {tensor} 的形狀是 {expected_shape}，但存的是 {stored_shape}（{rule}）。{key} = {right} 時所有張量都相符。"
        "不符的張量有 {count} 個。",
        "請把 {key} 設為 {right}。",
    ),
    "intermediate-size-mismatch.key": (
        "{key} = {value}，但 {tensor} 存成 {stored_shape}，依設定檔應該是 {expected_shape}；有 {count} 個張量是這樣。",
        "請把 {key} 設成與張量相符的值。用別的寬度載入會失敗，或悄悄丟掉一部分寬度。",
    ),
    "intermediate-size-mismatch.rule": (
        "{tensor} 存成 {stored_shape}，依設定檔應該是 {expected_shape}；有 {count} 個張量是這樣。",
        "請把寬度設成與張量相符的值。",
    ),
    "incomplete-ffn.absent": (
        "有前饋網路缺了 {count} 個矩陣：{where}。",
        "同一個前饋網路的其他矩陣都在。請從原始 checkpoint 補回缺少的部分。",
    ),
    "incomplete-ffn.other-block": (
        "{key} = {value} 要求每個前饋網路都有 {wanted}，但存的卻是 {found}：{where}。",
        "請把 {key} 設為訓練時用的值：這些矩陣屬於另一種前饋網路（有沒有 gate 的差別）。",
    ),
    "intermediate-size-convention.ratio": (
        "intermediate_size {value} 是 {plain} 的 {ratio} 倍，而 {plain} 是隱藏維度 {hidden} 常見的寬度。",
        "有些工具把 gate 和 up 合起來算，或把 2/3 乘了兩次。如果每個矩陣是 {plain} 列，就該寫 {plain}。",
    ),
    "intermediate-size-alignment.tile": (
        "{key} = {value} 不是 {tile} 的倍數。",
        "矩陣 kernel 和張量平行（tensor parallelism）都以 {tile} 的倍數運作；下一個倍數是 {next}。"
        "既有的 checkpoint 只能補零加寬，不能裁切。",
    ),
    "intermediate-size-alignment.ranks": (
        "{key} = {value} 無法平均分給 {ranks} 個張量平行的 rank：會剩下 {rest}。",
        "請換一個 rank 數，或把設定檔和權重一起補到 {next}。",
    ),
    "intermediate-size-alignment.rank-groups": (
        "{key} = {value} 讓 {ranks} 個 rank 各分到 {per_rank} 的寬度：不是量化 group {group}（{group_key}）的整數倍。",
        "一個 group 只有一個 scale，不能切開。請減少 rank 數、縮小 group，或把設定檔和權重一起補到 {next}。",
    ),
    "head-mismatch.ranks": (
        "{heads} 個注意力頭無法平均分給 {ranks} 個張量平行的 rank。",
        "每個 rank 只能拿完整的頭。請選一個能整除 {heads} 的 rank 數。",
    ),
    "head-mismatch.kv-ranks": (
        "{kv_heads} 個 KV 頭既不能平均分給 {ranks} 個張量平行的 rank，也不能整除 rank 數。",
        "各個 rank 只能分配或複製完整的 KV 頭。請換一個 rank 數。",
    ),
    "head-mismatch.rank-groups": (
        "{heads} 個注意力頭讓 {ranks} 個 rank 各分到輸出投影的 {columns} 個輸入："
        "不是量化 group {group}（{group_key}）的整數倍。",
        "一個 group 只有一個 scale，不能切開。請減少 rank 數，或縮小 group。",
    ),
    # --- heads ---
    "tied-head-conflict.no-head": (
        "設定檔沒有讓 LM head 與嵌入共用權重，卻也沒有存 LM head（{where}）。",
        "如果是嵌入模型就沒關係；要用來生成就完全不行：LM head 會是隨機值。如果模型訓練時是共用的，"
        "請把 tie_word_embeddings 設為 true，否則請補上這個張量。",
    ),
    "tied-head-conflict.embedding-gone": (
        "token 嵌入和 LM head 都沒有存（{where}）。",
        "請從原始 checkpoint 補回嵌入。",
    ),
    "tied-head-stored.both": (
        "設定檔讓 LM head 與嵌入共用權重，卻還是存了一個 {elements} 個元素的 LM head：{where}。",
        "光看檔頭無法得知兩者的值是否不同。如果不同，transformers 5 不會共用權重，而是使用存起來的 LM head；"
        "較舊的版本和照設定檔行事的引擎則會忽略它，改用嵌入。請只存一份，或把 tie_word_embeddings 設為 false。"
        "計算參數量時它只算一次，計算位元組時算兩次。",
    ),
    # --- eps ---
    "eps-missing.default": (
        "設定檔裡沒有 {key}；{family} 會改用 transformers 的預設值 {value}。",
        "建議明確寫出來：別的推論引擎可能有不同的預設值，而且不會報錯。",
    ),
    "eps-missing.unread": (
        "設定檔裡沒有 {key}；{family} 會改用 transformers 的預設值 {value}。設定檔裡有 {other} = {given}，但 {family} 不讀這"
        "個鍵。",
        "請把值寫在 {key}：現在不會出現任何錯誤，但 norm 用的是另一個 ε。",
    ),
    "eps-invalid.type": ("{key} 是 {value}，不是數字。", "請寫一個正數，例如 1e-05。"),
    "eps-invalid.null": ("{key} 是 null；transformers 不接受。", "請寫模型訓練時使用的數字。"),
    "eps-invalid.value": (
        "{key} = {value} 不是有限的正數。",
        "ε 的作用是讓根號裡的值遠離零；請寫模型訓練時使用的數字，例如 1e-05。",
    ),
    "eps-unusual.range": (
        "{key} = {value} 超出 {low} … {high}，已發表的模型都在這個範圍內。",
        "請對照訓練程式碼：從權重看不出來。",
    ),
    "eps-conflict.keys": (
        "{first} = {value}，{second} = {other}：兩個鍵指的是同一個 ε。",
        "請留下模型訓練時使用的那一個，或讓兩者相等；不同的推論引擎會各讀一個。",
    ),
    "eps-underflow.fp16": (
        "{key} = {value} 在權重的 dtype float16 裡會捨入成零。",
        "像 transformers 那樣以 float32 計算 norm 就沒問題；以 float16 取用 ε 的 kernel 會除以零。",
    ),
    # --- config ---
    "invalid-config.null": ("{key} 是 null，而它沒有值就沒有意義。", "請寫上數字，或移除這個鍵。"),
    "invalid-config.type": ("{key} 是 {value}，這裡應該是型別 {kind} 的值。", "請更正這個值。"),
    "invalid-config.range": ("{key} = {value} 超出範圍。", "請更正這個值。"),
    "invalid-config.not-whole": ("{key} = {value} 帶有小數。", "請寫 {number}：transformers 要的是整數。"),
    "invalid-config.length": (
        "{key} 有 {length} 個項目，模型卻有 {layers} 層。",
        "請讓每一層剛好有一個項目。",
    ),
    "invalid-config.top-k": (
        "{key} = {top_k}，但總共只有 {experts} 個專家。",
        "一個 token 不可能選到比總數還多的專家。",
    ),
    "invalid-config.activation": (
        "{key} 是 {value}：transformers 沒有叫這個名稱的激勵函數。",
        "載入會失敗。請寫模型訓練時使用的名稱，例如 silu、gelu 或 relu。",
    ),
    "invalid-config.activation-near": (
        "{key} 是 {value}：transformers 沒有叫這個名稱的激勵函數。",
        "載入會失敗。是不是要寫 {near}？",
    ),
    "invalid-config.layer-type": (
        "layer_types 裡編號 {layer} 的層是 {value}（有 {count} 個項目是未知的種類）。",
        "transformers 不接受。請寫 full_attention、sliding_attention、linear_attention，或它認得的其他種類。",
    ),
    "invalid-config.padding": (
        "嵌入只有 {rows} 列，pad_token_id = {value} 不在其中。",
        "transformers 不接受。請寫填補用 token 的 id，或寫 null。",
    ),
    "invalid-config.rope-type": (
        "{key} 是 {value}：transformers 沒有這種 RoPE。",
        "載入會失敗。它認得的有：{known}。",
    ),
    "invalid-config.rope-type-near": (
        "{key} 是 {value}：transformers 沒有這種 RoPE。",
        "載入會失敗。是不是要寫 {near}？",
    ),
    "invalid-config.rope-keys": (
        "{key} 要用 {kind} scaling，卻少了必要的設定：{gone}。",
        "transformers 不接受。請寫上訓練時用的值。",
    ),
    "invalid-config.rope-factor": (
        "{key} = {value}：小於 1 的倍率會縮短上下文，而不是拉長。",
        "請寫新的上下文長度除以訓練時長度的比值，應為 1 以上。",
    ),
    "invalid-config.odd-head": (
        "{key} = {value} 是奇數，但 RoPE 把數字兩兩一對旋轉。",
        "transformers 不接受。請寫偶數的 head_dim。",
    ),
    "invalid-config.dtype": (
        "{key} 是 {value}，沒有這種 dtype。",
        "載入會失敗。請寫 {near}，或 torch 的其他 dtype。",
    ),
    "invalid-config.no-method": (
        "{key} 沒有說明權重是怎麼量化的：缺少 quant_method。",
        "載入程式不接受。請寫上量化方法，或移除 {key}。",
    ),
    "invalid-config.no-experts": (
        "{key} = 0，但 {other} = {value}：token 沒有專家可去。",
        "請寫上專家數，或改用沒有專家的 model_type。",
    ),
    "invalid-config.no-top-k": (
        "{key} = 0，但 {other} = {value}：沒有 token 會送到任何專家。",
        "請寫上每個 token 會用到幾個專家。",
    ),
    "invalid-config.gate": (
        "{key} 是 {value}，既不是激勵函數，也不是 gated- 加上激勵函數。",
        "transformers 不接受。請寫 relu 或 gated-gelu 之類的值。",
    ),
    "key-conflict.class": (
        "architectures 寫的是 {class}，屬於 {other}，但 model_type 是 {model_type}。",
        "有些工具看類別名稱，有些看 model_type，會建出不同的模型。請讓兩者指向同一個架構家族。",
    ),
    "key-conflict.keys": (
        "{first} = {value}，{second} = {other}：兩個名稱指的是同一項設定。",
        "不同的程式會各讀其中一個。請留下模型訓練時使用的那一個，或讓兩者相等。",
    ),
    "unexpected-value.differs": (
        "{key} 是 {value}，預期是 {expected}。",
        "請更正設定檔，或更正 cfgexplain 設定裡的預期值。",
    ),
    "unexpected-value.absent": (
        "設定檔裡沒有 {key}，預期是 {expected}。",
        "請把它寫進設定檔，或從 cfgexplain 設定的預期值中移除。",
    ),
    "unexpected-value.misspelt": (
        "設定檔裡沒有 {key}，預期是 {expected}；有一個鍵的名稱很相近：{near}。",
        "cfgexplain 設定裡要寫的是 {near} 嗎？",
    ),
    "numeric-string.number": (
        '{key} 是字串 "{value}"，而不是數字 {number}。',
        "請拿掉引號：transformers 不接受字串。YAML 會把沒有小數點的 1e-05 讀成字串。",
    ),
    "unknown-family.type": (
        "沒有 model_type {model_type} 的對照表：以下說明只根據張量。",
        "從張量看不出來的（ε 的預設值、增益的慣例、norm 的位置）就留為未知。",
    ),
    "unknown-family.type-near": (
        "沒有 model_type {model_type} 的對照表：以下說明只根據張量。",
        "是不是要寫 {near}？用別的名稱無法載入。",
    ),
    "unknown-family.type-config": (
        "沒有 model_type {model_type} 的對照表，也沒有張量可以參考：能說的很少。",
        "請檢查拼字，或改為指定含有權重的 checkpoint。",
    ),
    "unknown-family.type-near-config": (
        "沒有 model_type {model_type} 的對照表，也沒有張量可以參考：能說的很少。",
        "是不是要寫 {near}？用別的名稱無法載入。",
    ),
    "unknown-family.wrapper": (
        "沒有外層 {model_type} 的對照表；裡面的語言模型是 {family}，就照它來檢查。",
        "tower（視覺或音訊編碼器）和 projector 依名稱判斷屬於哪一部分；光看設定檔無法得知總參數量。",
    ),
    "unknown-family.guess": (
        "設定檔沒有寫 model_type（類別名稱指向 {guess}）：以下說明只根據張量。",
        "請在設定檔加上 model_type。",
    ),
    "unknown-family.none": (
        "設定檔沒有寫 model_type：以下說明只根據張量。",
        "請在設定檔加上 model_type。",
    ),
    "unknown-family.no-config": (
        "權重旁邊沒有設定檔：以下說明只根據張量。",
        "請改為指定同時有 config.json 的資料夾。",
    ),
}
