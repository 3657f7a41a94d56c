"""Traditional Chinese: the sentences around a key's text, its page without a model. See ``en_keys``.

References are titles of papers, and the same in every language.
"""

from typing import Final

from cfgexplain.lang import en_keys, zh_hant_keys_attention, zh_hant_keys_core, zh_hant_keys_moe

_KEYS: Final = {**zh_hant_keys_core.KEYS, **zh_hant_keys_attention.KEYS, **zh_hant_keys_moe.KEYS}

TEXTS: Final[dict[str, str]] = {
    **{f"key.{name}.does": pair[0] for name, pair in _KEYS.items()},
    **{f"key.{name}.wrong": pair[1] for name, pair in _KEYS.items()},
    # --- where the value comes from ---
    "explain.key.title": "{key} = {value}",
    "explain.key.title.unset": "{key}：未設定",
    "explain.key.title.object": "{key}",
    "explain.key.origin.config": "設定檔把 {key} 設為 {value}。",
    "explain.key.origin.null": "設定檔把 {key} 設為 null。",
    "explain.key.origin.null-derived": "設定檔把 {key} 設為 null；{family} 因此推算出 {value}。",
    "explain.key.origin.default": "設定檔沒有設定 {key}；{value} 是 {family} 在參考實作（transformers）裡的預設值。",
    "explain.key.origin.derived": "設定檔沒有設定 {key}；{family} 由 {rule} 推算出 {value}。",
    "explain.key.origin.varies": "設定檔沒有設定 {key}；{family} 由 {rule} 逐層推算。",
    "explain.key.origin.off": "設定檔沒有設定 {key}，{family} 視為不使用。",
    "explain.key.origin.built": "設定檔沒有 {key}；{family} 這時依其他的鍵和自己的程式碼決定。",
    "explain.key.origin.object": "設定檔有 {key}。",
    "explain.key.origin.unknown": "設定檔裡 {key} 的值，{family} 無法使用。",
    "explain.key.origin.absent": "設定檔裡沒有 {key}，{family} 的對照表也用不到它。",
    "explain.key.origin.unset": "設定檔沒有設定 {key}。",
    "explain.key.origin.elsewhere": "在 {family} 裡它叫做 {key}。",
    "explain.key.unread": "{family} 的參考實作不讀這個鍵：它不影響任何東西。",
    "explain.key.unread-while": "設定了 {other} 時，{family} 的參考實作不讀這個鍵：它不影響任何東西。",
    "explain.key.not-rotary": "這個模型沒有使用 RoPE：沒有東西會讀它。",
    "explain.key.not-structural": "在 {family} 裡，沒有任何張量的有無或形狀由它決定。",
    "explain.key.shadowed": "設定檔另外有 {other}，{family} 會先讀那一個。",
    "explain.key.unknown-family": "沒有對照表說明這個 model_type 怎麼使用它。",
    "explain.key.unexplained": "這個鍵沒有說明文字。",
    "explain.key.see": "請看上面的 {key}。",
    "explain.key.shapes": "形狀由它決定的張量：{names}。",
    "explain.key.shapes-more": "形狀由它決定的張量：{names}，還有另外 {count} 種。",
    "explain.key.decides": "由它決定有無的張量：{names}。",
    "explain.key.decides-more": "由它決定有無的張量：{names}，還有另外 {count} 種。",
    "explain.key.wrong": "如果設錯：{text}",
    "explain.key.after": "訓練之後：{text}",
    "explain.key.related": "一起看的鍵：{names}。",
    "explain.key.related.value": "{key} = {value}",
    "explain.key.left.title": "沒有說明的鍵：{count} 個",
    "explain.key.left.text": "這些鍵沒有說明文字，{family} 的對照表也沒有用到：{names}。",
    "explain.key.left.text.unknown": "這些鍵沒有說明文字：{names}。",
    "explain.key.left.unread": "其中已知參考實作不會讀的是 {names}。",
    "explain.key.value.list": "有 {count} 個項目的清單",
    "explain.key.value.object": "有 {count} 個項目的物件",
    # --- whether it can be changed ---
    "explain.key.after.shape": "不能更改。儲存的張量是配合它做出來的；換一個值就需要不同的張量。",
    "explain.key.after.layers": "可以刪掉或重複某些層，但之後模型需要再訓練；這個數字必須與張量相符。",
    "explain.key.after.structure": "不能更改。張量就是在它決定的位置上訓練的。",
    "explain.key.after.flag": "必須與儲存的內容相符。只能和張量一起更改。",
    "explain.key.after.silent": "不能更改。它是模型訓練時所用運算的一部分，而光看檔頭無法確認。",
    "explain.key.after.derived": "由其他鍵推算而得，只會跟著它們變。",
    "explain.key.after.latent": "它必須和 num_attention_heads 相同。",
    "explain.key.after.resize": "可以連同它一起增減列數；新增的列必須訓練。",
    "explain.key.after.extend": (
        "使用可學習的位置嵌入時，只能和那張表一起改。使用 RoPE 時，可以配合 θ 或 scaling 一起調高，"
        "但會損失品質，要用新的長度訓練過才補得回來。"
    ),
    "explain.key.after.free": "可以任意更改：沒有張量由它決定。",
    "explain.key.after.rope": (
        "它是模型訓練時所用運算的一部分。已發表的做法會更改它來拉長上下文，多半還要用新的長度再訓練一下。"
    ),
    "explain.key.after.window": (
        "它是訓練的一部分。視窗改小仍能執行，只是忘得更快；改大則會遇到那些層從沒見過的距離。"
    ),
    "explain.key.after.tie": "共用的矩陣可以另存一份來拆開。分開的矩陣不經過訓練就無法共用。",
    "explain.key.after.topk": "可以更改，因為沒有張量由它決定；但模型是用這個數字訓練的。",
    "explain.key.after.capacity": "可以更改，代價是丟掉一些 token，或占用更多記憶體。",
    "explain.key.after.mtp": "可以連同這個鍵拿掉那些額外的層；主模型不變。",
    "explain.key.after.training": "可以任意更改。只有訓練時會讀。",
    "explain.key.after.training.mostly": (
        "多數架構家族只有訓練時會讀它，可以更改；在其他的家族，它是模型訓練時所用運算的一部分。"
    ),
    "explain.key.after.head": "如果有和它一起訓練的分類器，就不能更改。沒有這樣的分類器時，沒有東西會讀它。",
    "explain.key.after.runtime": "可以任意更改。它控制的是程式，不是計算的內容。",
    "explain.key.after.generation": "可以任意更改，最好寫在 generation_config.json 裡。",
    "explain.key.after.storage": "只能和儲存的張量一起改；轉換時兩者會一起變。",
    "explain.key.after.resolution": (
        "會內插位置嵌入的 tower（視覺或音訊編碼器）可以接受別的大小；其他的要連位置表一起改。"
    ),
    "explain.key.after.tokens": "只能和 tokenizer 一起改。",
    "explain.key.after.label": "它是名稱；必須與實際的東西相符。",
    # --- numbers ---
    "explain.key.layers.each": "各層共有 {inside:,} 個參數，占模型的 {share:.1%}；公式把它除以 {count} 層。",
    "explain.key.layers.shared": "各層共有 {inside:,} 個參數，占模型的 {share:.1%}；多層共用的權重只計一次。",
    "explain.key.hidden.embedding": "嵌入的寬度是 {wide:,}；由一個投影轉到 {hidden:,}。",
    "explain.key.vocab.share": "這樣的一個矩陣有 {count:,} 個參數，占模型的 {share:.1%}。",
    "explain.key.vocab.round": "{rows:,} 是 {two:,} 的倍數，而 {two:,} 是 kernel 偏好的 2 的次方。",
    "explain.key.vocab.odd": (
        "{rows:,} 能被整除的 2 的次方最大只到 {two:,}；這種高度的矩陣可能比較慢，也不容易平均分給各個 rank。"
    ),
    "explain.key.context.cache": "一個完整長度的序列要占 {bytes:,} 位元組的快取。",
    "explain.key.context.usable": (
        "位置表有 {rows:,} 列，但位置從填充（padding）那一列之後算起：一段文字最多只能有 {usable:,} 個 token。"
    ),
    "explain.key.context.rows": "位置表有 {rows:,} 列，比位置多 {more} 列：transformers 從它們之後開始數。",
    "explain.key.context.cache-windowed": (
        "一個完整長度的序列要占 {bytes:,} 位元組的快取；如果沒有視窗會是 {all:,}。"
    ),
    "explain.key.init.compare": (
        "由獨立亂數構成、標準差為 1/√d 的矩陣，能維持經過它的向量大小；{std} 是這個模型的選擇。"
    ),
    "explain.key.qk-norm.count": "注意力內部的 norm 一共有 {count:,} 個參數。",
    "explain.key.heads.other": "所有頭合起來寬 {wide:,}，殘差流寬 {hidden:,}：由輸出投影轉回來。",
    "explain.key.head.latent": (
        "在潛在注意力裡，一個頭的 query 和 key 寬 {size}：{nope} 個沒有位置，{rope} 個在潛在向量之外；logits 的縮"
        "放依這個寬度，而不是這個鍵。"
    ),
    "explain.key.softcap.none": "這裡沒有啟用。",
    "explain.key.scale.same": "對大小 {size} 的頭來說，這就是一般的 1/√head_dim。",
    "explain.key.scale.other": "對大小 {size} 的頭來說，這不是一般的 1/√head_dim。",
    "explain.key.scale.mup": "這是 1/{size}，也就是 μP 的縮放：logits 除以 head_dim 本身，而不是它的平方根。",
    "explain.key.window.layers": (
        "{layers} 層中有 {count} 層有視窗。資訊每經過一層最多移動一個視窗，全部走完最遠就是公式的距離；"
        "其他的層沒有這個限制。"
    ),
    "explain.key.window.unused": "這個模型沒有任何一層有視窗。",
    "explain.key.dtype.bytes": "全部參數以 {name} 儲存要占 {bytes:,} 位元組。",
    "explain.key.dtype.stored": "檔頭裡的統計：{stored}。",
    "explain.key.quantization.bits": "以儲存的方式計算，每個參數平均 {bits:.3f} 位元，包含 scale。",
    "explain.key.token.inside": "嵌入有 {rows:,} 列，所以在範圍內。",
    "explain.key.token.outside": "嵌入有 {rows:,} 列：這裡的 id 並不是每個都有對應的列。",
    "explain.key.theta.range": (
        "{pairs} 對之中，最快的（j = 0）每 2π = 6.28 個 token 轉一圈，最慢的（j = {last}）要 2π · {base}^({top} / "
        "{d}) = {longest} 個。"
    ),
    "explain.key.theta.range-before": (
        "尚未拉長時，{pairs} 對之中，最快的（j = 0）每 2π = 6.28 個 token 轉一圈，最慢的（j = {last}）要 2π · "
        "{base}^({top} / {d}) = {longest} 個。"
    ),
    "explain.key.theta.range-after": "依這份設定檔拉長之後，最慢的要 {longest} 個 token。",
    "explain.key.theta.full": "在完整注意力的層裡：",
    "explain.key.theta.window": "在有視窗的層裡：",
    "explain.key.theta.still": "一個頭的 {pairs} 對之中，有 {still} 對完全不轉。",
    "explain.key.theta.turns": (
        "在 {context:,} 個 token 的上下文裡，{pairs} 對之中有 {count} 對能轉完一圈；其餘的只會看到圓的一部分。"
    ),
    "explain.key.theta.turns-window": (
        "在這種層看得到的 {context:,} 個 token 之內，{pairs} 對之中有 {count} 對能轉完一圈；其餘的只會看到圓的一部分。"
    ),
    "explain.key.rope.none": "這裡的位置沒有拉長。",
    "explain.key.rope.linear": "每個位置都除以 {factor}：所有的對都以同樣的比例轉得更慢。",
    "explain.key.rope.dynamic": (
        "在 {length:,} 個 token 以內什麼都不變；更長的輸入有 n 個 token 時，base 依公式變大。"
    ),
    "explain.key.rope.yarn": (
        "{pairs} 對從 0 開始編號，到 {low} 為止的不動，從 {high} 開始的轉速降為 1/{factor}，中間的兩者混合。"
    ),
    "explain.key.rope.yarn.sharp": (
        "yarn 還會讓注意力更集中：旋轉後的 query 和 key 會乘上 0.1 · ln(factor) + 1。"
    ),
    "explain.key.rope.yarn.given": "旋轉後的 query 和 key 會乘上 attention_factor，也就是 {value}。",
    "explain.key.rope.yarn.ratio": (
        "mscale 和 mscale_all_dim 都有設定時，旋轉後的 query 和 key 會乘上兩者修正值的比值。"
    ),
    "explain.key.rope.yarn.square": "潛在注意力還會再讀一次 mscale_all_dim：把所有分數乘上其修正值的平方。",
    "explain.key.rope.llama3": "{kept} 對不動，{whole} 對的轉速降為 1/{factor}，另有 {part} 對介於中間。",
    "explain.key.rope.longrope": (
        "超過 {original:,} 個 token 時改用長的那一組除數；以上下文 {context:,} 計，query 和 key 依公式縮放，"
        "除非設定檔另外設了倍率。"
    ),
    "explain.key.rope.unknown": "以現有的這些鍵，這裡不知道規則「{kind}」的公式。",
    "explain.key.partial.some": "每個頭有 {turned} 個數字會旋轉，{rest} 個不會。",
    "explain.key.mrope.fits": "這就是 RoPE 的對數 {pairs}。",
    "explain.key.mrope.other": "一個頭有 {pairs} 對 RoPE。",
    "explain.key.buckets.encoder": "編碼器的類別一半給前面、一半給後面，最後一個類別從 {begins} 個 token 開始。",
    "explain.key.buckets.decoder": "在解碼器裡，最後一個類別從 {begins} 個 token 開始。",
    "explain.key.experts.choices": "從中選 {top} 個，有 {choices} 種選法。",
    "explain.key.experts.active": "一個 token 會經過 {total:,} 個參數中的 {active:,} 個，也就是 {share:.1%}。",
    "explain.key.experts.active-most": "一個 token 最多經過 {total:,} 個參數中的 {active:,} 個，也就是 {share:.1%}。",
    "explain.key.experts.idle": "router 可以挑的 {count} 個之中，有 {idle} 個只把輸入原封不動交出去，沒有張量。",
    "explain.key.groups.one": "只有一組，就等於沒有分組。",
    "explain.key.groups.reach": "選定組別之後，一個 token 能選的專家是 {count} 個中的 {reach} 個。",
    "explain.key.mla.cache": (
        "快取為每個 token、每一層只需要 {small:,} 個數字；如果每個頭都存 key 和 value，會是 {full:,} 個，也就是 "
        "{times:.1f} 倍。"
    ),
    "explain.key.mla.no-q": "這裡的 query 來自一個完整的矩陣。",
    "explain.key.ssm.state": "不論文字多長，每一層都只記住 {count:,} 個數字。",
    # --- the page of a key, without a model ---
    "page.key.also": "也寫作：{names}",
    "page.key.beside": "一起說明的設定：{names}",
    "page.key.wrong": "如果設錯：{text}",
    "page.key.apart": "在 {families} 裡是另一回事：{text}",
    "page.key.after": "訓練之後：{text}",
    "page.key.related": "一起看的鍵：{names}",
    "page.key.table": "cfgexplain 的對照表",
    "page.key.families": "{name}：{families}",
    "page.key.families-more": "{name}：{families}，還有 {count} 個",
    "page.key.default": "預設值 {value}",
    "page.key.derived": "由 {value} 推算",
    "page.key.fixed": "固定的預設值",
    "page.key.no-default": "沒有預設值",
    "page.key.shapes": "形狀由它決定的張量",
    "page.key.unread": "不讀它的架構家族",
    "page.key.no-text": "這個鍵沒有說明文字。對照表裡的用法如下。",
    "page.key.hint": "`cfgexplain TARGET --key {name}` 會用模型自己的數字來說明。",
    "page.key.references": "參考資料",
    # --- references ---
    **{key: text for key, text in en_keys.TEXTS.items() if key.startswith("ref.")},
}
