"""Traditional Chinese: the feed-forward width, its parameters and experts. See ``en_explain`` for the conventions."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # --- the width ---
    "explain.width.title": "{key} = {value:,}",
    "explain.width.nameless": "前饋網路的寬度",
    "explain.width.source.config": "設定檔把 {key} 設為 {value:,}。",
    "explain.width.source.default": (
        "設定檔沒有設定 {key}；{value:,} 是 {family} 在參考實作（transformers）裡的預設值。"
    ),
    "explain.width.source.derived": "設定檔沒有給 {key}；{family} 由其他大小推算出 {value:,}。",
    "explain.width.source.derived-nameless": "沒有任何鍵記錄它：{family} 由其他大小推算出 {value:,}。",
    "explain.width.source.tensors": "設定檔裡沒有任何鍵記錄它；從張量看是 {value:,}。",
    "explain.width.doubled": (
        "{family} 把 gate 和 up 合起來算：{value:,} 代表 2 × {width:,}，每個矩陣的寬度是 {width:,}。"
    ),
    "explain.width.differs": "張量裡是 {width:,}。",
    "explain.width.unused": (
        "這個模型沒有任何一層用到它；實際用到的寬度是 {widths}。一個 token 經過的專家合起來有多寬，見專家的說明。"
    ),
    "explain.width.per-expert": "它是每個專家的寬度；沒有任何一層是 dense 的前饋網路。",
    "explain.width.shared": "它是共享專家的寬度；沒有任何一層是 dense 的前饋網路。",
    "explain.width.beside": "它是每個這種層裡，和專家並排的 dense 前饋網路的寬度。",
    "explain.width.rule.llama": (
        "兩個矩陣、寬度 4·d 的前饋網路有 8·d² 個參數。有閘（gated）的前饋網路是三個矩陣，為了維持同樣的參數量，寬度"
        "就縮成三分之二：8/3 · {d:,} = {exact}，再為了 kernel 無條件進位到 {multiple} 的倍數。{width:,} 正好就是這個"
        "數。"
    ),
    "explain.width.rule.llama.exact": (
        "兩個矩陣、寬度 4·d 的前饋網路有 8·d² 個參數。有閘（gated）的前饋網路是三個矩陣，為了維持同樣的參數量，寬度"
        "就縮成三分之二：8/3 · {d:,} = {width:,}，本來就是 {multiple} 的倍數，不需要進位。"
    ),
    "explain.width.rule.four": (
        "寬度是隱藏維度 {d:,} 的四倍，和 2017 年的 Transformer 一樣；那裡每層兩個這樣的矩陣，共 8·d² 個參數。"
    ),
    "explain.width.rule.recipe": "算法是已知的（{reference}），得出 {value:,}。",
    "explain.width.rule.stated-differs": "這和實際使用的 {width:,} 不同。",
    "explain.width.rule.not-llama": (
        "照 Llama 的規則（4·d 的三分之二，進位到 {multiple} 的倍數）會是 {value:,}；這個模型是 {width:,}。"
        "單憑這一點還不算錯誤。"
    ),
    "explain.width.rule.label": "Llama 的規則（算出來不是這個數）：",
    "explain.width.rule.none": "這裡試過的規則都無法從 {d:,} 得到 {width:,}：比例是 {ratio:.4f}，4·d 則會是 {four:,}。",
    "explain.width.rule.convention": (
        "它是規則本身的寬度 {plain:,} 的 {ratio} 倍：有些工具把 gate 與 up 合起來算（Qwen 1），或把 2/3 乘了兩次。單看這個數字無法分辨。"
    ),
    "explain.width.ratio.simple": "{width:,} 正好是 {ratio} · {d:,}。",
    "explain.width.ratio.four-gated": (
        "{width:,} 正好是 {ratio} · {d:,}，但因為有三個矩陣，參數量是同樣寬度的兩矩陣版本的 1.5 倍。"
    ),
    "explain.width.ratio.expert": (
        "{width:,} 是 {ratio:.4g} · {d:,}。dense 前饋網路的寬度規則在此不適用：專家多寬，要連同每個 token 經過幾個一"
        "起看。"
    ),
    "explain.width.candidates.one": (
        "這裡試過的 Meta 規則設定（ffn_dim_multiplier、multiple_of）中，有一組能得到 {width:,}：{names}。對得上並不"
        "能證明當初就是這樣算的。"
    ),
    "explain.width.candidates.some": (
        "這裡試過的 Meta 規則設定（ffn_dim_multiplier、multiple_of）中，有 {count} 組能得到 {width:,}：{names}。光看"
        "這個數字，無法得知當初用的是哪一組，甚至是不是這條規則。"
    ),
    "explain.width.candidates.more": "JSON 報告裡還有 {count} 組。",
    "explain.width.candidates.published": (
        "{model} 的這兩個大小相同，Meta 公布它用的 ffn_dim_multiplier 是 {multiplier}、multiple_of 是 {multiple}。"
    ),
    "explain.width.candidates.also-one": (
        "同一條規則改成進位到 {multiple} 的倍數（multiple_of），也會得到 {width:,}；通常的設定是 {usual}。"
    ),
    "explain.width.candidates.also": (
        "規則換成其他設定（ffn_dim_multiplier、multiple_of）也會得到 {width:,}：{names}；通常的設定是 {usual}，不帶"
        "乘數。"
    ),
    "explain.width.why-three": (
        "有閘的前饋網路，基本形式是 down(act(gate · x) ⊙ (up · x))：原本兩個矩陣，現在是三個。"
    ),
    "explain.width.cost.equal": (
        "三個 {d:,} × {width:,} 的矩陣每層有 {gated:,} 個參數，正好等於兩個矩陣、寬度 4·d 時的 8·d²。"
    ),
    "explain.width.cost.rounding": (
        "三個 {d:,} × {width:,} 的矩陣每層有 {gated:,} 個參數，而兩個寬度 4·d 的矩陣是 {plain:,} 個："
        "進位的代價是 {extra:,} 個（{share:.2%}）。"
    ),
    "explain.width.cost.more": (
        "三個 {d:,} × {width:,} 的矩陣每層有 {gated:,} 個參數，比兩個寬度 4·d 的矩陣的 8·d² = {plain:,} "
        "多 {extra:,} 個（{share:.1%}）。"
    ),
    "explain.width.cost.less": (
        "三個 {d:,} × {width:,} 的矩陣每層有 {gated:,} 個參數，比兩個寬度 4·d 的矩陣的 8·d² = {plain:,} "
        "少 {extra:,} 個（{share:.1%}）。"
    ),
    "explain.width.shazeer": (
        "閘為什麼有效，還沒有人知道。Shazeer 的論文發現它有效，但沒有提出解釋：「我們把它們的成功，和其他一切一樣，"
        "歸功於神的恩慈」(we attribute their success, as all else, to divine benevolence)。"
    ),
    "explain.width.factors": "{width:,} = {product}。",
    "explain.width.prime": "{width:,} 是質數。",
    "explain.width.ranks": (
        "做張量平行（tensor parallelism）時，在 64 以內的 2 的次方裡，可以平均分給 {ranks} 個 rank。"
    ),
    "explain.width.tiles": "它是下列 kernel tile 與量化 group 大小的倍數：{sizes}。",
    "explain.width.no-tiles": "它不是 8 的倍數：需要這種倍數的 kernel 就得補零。",
    "explain.width.super-block": (
        "{width:,} mod 256 = {rest}：{matrix} 以它為輸入，每一列填不滿 k-quants 寬 256 的 super-block，轉檔工具在那"
        "裡會改用別的量化格式。"
    ),
    "explain.width.super-block.hidden": "{hidden:,} mod 256 = {rest}：以隱藏維度為輸入的矩陣也一樣。",
    "explain.width.group": (
        "{key} 規定沿著矩陣的輸入方向每 {size} 個一組；{matrix} 的輸入寬 {width:,}，要分給各個 rank。"
    ),
    "explain.width.group.count": "{tp}（{groups}）",
    "explain.width.group.uneven": "{tp}（無法均分）",
    "explain.width.group.whole": "可行的 rank 數（每個 rank 的 group 數）：{ranks}。",
    "explain.width.group.broken": "會切斷 group 的 rank 數：{ranks}。",
    "explain.width.group.next": "補零到 {width:,} 的話，最多可以分給 8 個 rank。",
    "explain.width.group.attention": (
        "注意力的輸出投影輸入寬 {wide:,}；以每組 {size} 個來分，無法分給 {ranks} 個 rank。"
    ),
    # --- experts ---
    "explain.experts.title": "專家：{key} = {value:,}",
    "explain.experts.nameless": "寬度",
    "explain.experts.all": "每一層都有 {experts} 個專家，每個專家都是寬度 {width:,} 的前饋網路。",
    "explain.experts.some": (
        "{all} 層之中有 {layers} 層各有 {experts} 個專家，每個專家都是寬度 {width:,} 的前饋網路。"
    ),
    "explain.experts.dense": "其他的前饋網路是 dense 的，寬度 {widths}。",
    "explain.experts.shared": "專家之外還有共享的部分（{count} 個），寬度 {width:,}，每個 token 都會經過。",
    "explain.experts.visited": (
        "router 把每個 token 送到其中 {k} 個，合起來相當於經過一個寬度 {active:,} 的 dense 前饋網路。"
    ),
    "explain.experts.visited.shared": (
        "router 把每個 token 送到 {experts} 個專家中的 {k} 個；連同共享的部分，相當於經過一個寬度 {active:,} 的 "
        "dense 前饋網路。"
    ),
    "explain.experts.visited.idle": (
        "router 為每個 token 從 {experts} 個之中挑 {k} 個：除了這些專家，還有 {idle} 個只把輸入原封不動交出去，沒"
        "有張量。一個 token 經過的合起來最多 {active:,} 寬，挑到後者就更少。"
    ),
    "explain.experts.visited-unknown": "每個 token 會經過其中幾個，無從得知。",
    "explain.experts.router": "router 共有 {params:,} 個參數，另外計算。",
    "explain.experts.factors": "{width:,} = {product}。",
    "explain.experts.prime": "{width:,} 是質數。",
    "explain.experts.ranks": (
        "做張量平行（tensor parallelism）時，在 64 以內的 2 的次方裡，每個專家可以平均分給 {ranks} 個 rank。"
    ),
    "explain.experts.tiles": "這個寬度是下列 kernel tile 與量化 group 大小的倍數：{sizes}。",
    "explain.experts.no-tiles": "這個寬度不是 8 的倍數：需要這種倍數的 kernel 就得補零。",
    "explain.experts.super-block": (
        "{width:,} mod 256 = {rest}：每個專家的 {matrix} 矩陣，每一列填不滿 k-quants 寬 256 的 super-block。"
    ),
    "explain.experts.group": (
        "{key} 規定沿著矩陣的輸入方向每 {size} 個一組；每個專家的 {matrix} 矩陣輸入寬 {width:,}，要分給各個 rank。"
    ),
    "explain.experts.group.count": "{tp}（{groups}）",
    "explain.experts.group.uneven": "{tp}（無法均分）",
    "explain.experts.group.whole": "可行的 rank 數（每個 rank 的 group 數）：{ranks}。",
    "explain.experts.group.broken": "會切斷 group 的 rank 數：{ranks}。",
    "explain.experts.group.next": "補零到 {width:,} 的話，最多可以分給 8 個 rank。",
    # --- parameters ---
    "explain.ffn-params.title": "前饋網路的參數量：{total:,}",
    "explain.ffn-params.activation": "激勵函數",
    "explain.ffn-params.total": "模型的 {model:,} 個參數裡，前饋網路占 {total:,} 個，也就是 {share:.1%}。",
    "explain.ffn-params.total-alone": "前饋網路有 {total:,} 個參數。",
    "explain.ffn-params.active": "一個 token 會經過其中的 {active:,} 個，也就是 {share:.1%}。",
    "explain.ffn-params.agree": "設定檔和張量算出來的數字一致。",
    "explain.ffn-params.differ": "依設定檔是 {config:,} 個，張量裡有 {tensors:,} 個：相差 {difference:,} 個。",
    "explain.ffn-params.tensors-only": "這是從張量數出來的；沒有對照表說明依設定檔該有多少。",
    "explain.ffn-params.config-only": "這是從設定檔算出來的；沒有讀任何張量。",
    "explain.ffn-params.names": (
        "{gate} 是 gate，會經過 {act}；{up} 是與它相乘的值；{down} 把結果帶回殘差流。"
    ),
    "explain.ffn-params.special": (
        "{family} 在矩陣之間算的不是 act(gate) × up，而是公式所寫的函數；g、gate 與 up 逐分量計算。"
        "設定檔裡另外寫的激勵函數鍵並不能說明這個函數。"
    ),
    "explain.ffn-params.fused-plain": "{both} 把 gate 與 up 放在同一個矩陣裡；{down} 把結果帶回殘差流。",
    "explain.ffn-params.numbered": (
        "w1、w2、w3 的編號在各家意思不同：在 Meta 和 Mixtral 的程式碼裡，w1 是 gate、w3 是值、w2 是 down；"
        "在 Qwen 1 裡，w2 是 gate、w1 是值。"
    ),
    "explain.ffn-params.swap-unseen": "gate 和 up 的形狀相同，所以轉檔工具有沒有把它們弄反，光看檔頭無法得知。",
    "explain.ffn-params.fused": (
        "{both} 把 gate 和 up 放在同一個矩陣裡；gate 的那一半會經過 {act}，{down} 把結果帶回殘差流。"
    ),
    "explain.ffn-params.interleaved": "在 {family} 裡它們的列交錯排列：gate、up、gate、up。",
    "explain.ffn-params.concatenated": "在 {family} 裡它們是前後相接的兩半。",
    "explain.ffn-params.layout-unseen": "這是這個架構家族的慣例；轉檔工具有沒有照做，光看檔頭無法得知。",
}
