"""Traditional Chinese: explanations of norms, biases, attention and the head. See ``en_explain`` for the conventions.

References are titles of papers, and the same in every language.
"""

from typing import Final

from cfgexplain.lang import en_explain

TEXTS: Final[dict[str, str]] = {
    "join.sentence": "",
    "join.list": "、",
    "join.part": "，",
    "join.after": "；",
    # --- epsilon ---
    "explain.eps.title": "{key} = {value}",
    "explain.eps.nameless": "norm 的 ε",
    "explain.eps.source.config": "設定檔把 {key} 設為 {value}。",
    "explain.eps.source.default": "設定檔沒有設定 {key}；{value} 是 {family} 在參考實作（transformers）裡的預設值。",
    "explain.eps.source.hardcoded": "{value} 寫死在 {family} 的程式碼裡；設定檔沒有任何鍵能改它。",
    "explain.eps.other-key": "這是 RMSNorm，鍵名則是 {key}：只認得 rms_norm_eps 的工具會讀不到它，退回自己的預設值。",
    "explain.eps.sites.layers": "共有 {total:,} 個 norm 使用它：{layers} 層各 {each} 個，最後一層之後 {last} 個。",
    "explain.eps.sites.layers.only": "共有 {total:,} 個 norm 使用它：{layers} 層各 {each} 個。",
    "explain.eps.sites.total": "共有 {total:,} 個 norm 使用它：各層內部 {blocks:,} 個，最後一層之後 {last} 個。",
    "explain.eps.sites.total.only": "共有 {total:,} 個 norm 使用它，都在各層內部。",
    "explain.eps.sites.others": "其他地方的 norm（注意力或代替它的部分之內，或各層之外）不計在內；多半用同樣的 ε。",
    "explain.eps.latent": (
        "注意力裡作用在潛在向量（latent）上的 norm（{norms}）是另一回事：有些實作不管設定檔怎麼寫，一律使用 {value}。"
    ),
    "explain.eps.type-unknown": "如果 norm 把它加到均方值上，換算成 x 的單位，它的尺度就是平方根 {root}。",
    "explain.eps.inside.rmsnorm": (
        "ε 在根號裡加到均方值上，所以它的單位是 x²；換算成 x 的單位，它的尺度是 √ε = {root}。"
    ),
    "explain.eps.inside.layernorm": (
        "ε 在根號裡加到變異數上，所以它的單位是 x²；換算成 x 的單位，它的尺度是 √ε = {root}。"
    ),
    "explain.eps.half.rmsnorm": (
        "數值遠大於這個尺度時，ε 幾乎沒有影響；如果向量本身的均方根（RMS）是 {root}，乘上增益之前會縮放到單位大小的 "
        "1/√2 = 0.707。"
    ),
    "explain.eps.half.layernorm": (
        "數值的離散程度遠大於這個尺度時，ε 幾乎沒有影響；如果向量本身的標準差是 {root}，"
        "乘上增益、加上 bias 之前的標準差會是 1/√2 = 0.707。"
    ),
    "explain.eps.zeros": "全零的向量會保持為零；沒有 ε 就會變成 0/0。",
    "explain.eps.zeros.bias": "全零的向量會得到 bias；沒有 ε 就會變成 0/0。",
    "explain.eps.equal": "各分量相等的向量會得到零；沒有 ε 就會變成 0/0。",
    "explain.eps.equal.bias": "各分量相等的向量（包括全零）會得到 bias b；沒有 ε 就會變成 0/0。",
    "explain.eps.one-plus": "存起來的權重是偏移量：增益是 1 + w。轉檔工具是否已經把 1 併進去，光看檔頭無法得知。",
    "explain.eps.against-layernorm": (
        "和 LayerNorm 相比，RMSNorm 省去平均值與 bias，兩次 reduction 也因此少了一次；論文量到的執行時間減少 7% 到 "
        "64%。"
    ),
    "explain.eps.f16.subnormal": (
        "如果 kernel 把 ε 捨入成這個 checkpoint 的 dtype fp16，會得到 {rounded}：這是次正規數（subnormal，小於 "
        "{normal}），在把次正規數直接歸零（flush to zero）的地方就成了零。"
    ),
    "explain.eps.f16.normal": "如果 kernel 把 ε 捨入成這個 checkpoint 的 dtype fp16，會得到 {rounded}。",
    "explain.eps.f16.zero": (
        "如果 kernel 把 ε 捨入成這個 checkpoint 的 dtype fp16，會得到 0（fp16 最小的數是 {least}），"
        "全零的向量就會變成 0/0。"
    ),
    "explain.eps.f16.square": "在 fp16 裡，只要 |x| 超過 {limit}，x² 就會溢位。",
    "explain.eps.bf16.normal": "如果 kernel 把 ε 捨入成這個 checkpoint 的 dtype bf16，會得到 {rounded}：夠接近了。",
    "explain.eps.bf16.subnormal": (
        "如果 kernel 把 ε 捨入成這個 checkpoint 的 dtype bf16，會得到次正規數（subnormal）{rounded}。"
    ),
    "explain.eps.bf16.zero": "如果 kernel 把 ε 捨入成這個 checkpoint 的 dtype bf16，會得到 0。",
    "explain.eps.bf16.square": (
        "bf16 的範圍放得下 x²，但累加時只有 8 位元的有效位數；如果改用 fp16 執行，只要 |x| 超過 {limit}，x² 就會溢位。"
    ),
    "explain.eps.upcast": "所以多數實作都先用 float32 計算平方與平均，最後才轉回來。",
    "explain.eps.fixed": (
        "ε 是模型訓練時所用運算的一部分，但沒有存成任何張量：光看檔頭無法確認，訓練完也不該再改。推論引擎如果用了別"
        "的值，不會報錯，只是輸出會悄悄變差。"
    ),
    "explain.eps.used.llama": (
        "Llama 2 和 Llama 3 發表時是 1e-05；Llama 1 從 7B 到 33B，轉成 transformers 格式的設定檔是 1e-06。"
    ),
    "explain.eps.used.mistral": "Mistral 7B 發表時是 1e-05（transformers 的預設值是 1e-06）。",
    "explain.eps.used.qwen2": "這個系列多數的模型發表時是 1e-06，有些是 1e-05，例如 Qwen2.5-14B 和 Qwen2.5-32B。",
    "explain.eps.used.qwen3": "Qwen3 發表時是 1e-06。",
    "explain.eps.used.phi3": "Phi-3 發表時是 1e-05。",
    "explain.eps.used.gemma": "Gemma 發表時是 1e-06。",
    "explain.eps.used.olmo2": "OLMo 2 發表時是 1e-06（transformers 的預設值是 1e-05）。",
    "explain.eps.pointer.llama2": (
        "上下文長度 {context:,} 加上 32,000 的詞彙表，看起來是 Llama 2，它訓練時用的是 {published}，不是 "
        "{value}（較小的 Llama 1 才是 1e-06）。Llama-2-7B-chat 早期上傳的版本寫錯了，從它複製出來的也一直錯下去："
        "請與原始來源比對。"
    ),
    # --- what the norms are ---
    "explain.norm-type.title": "norm：{name}",
    "explain.norm-type.name.rmsnorm": "RMSNorm",
    "explain.norm-type.name.layernorm": "LayerNorm",
    "explain.norm-type.rmsnorm": (
        "RMSNorm 把一個 token 的向量除以它的均方根（RMS），再縮放每個分量；它不減平均值，也不加 bias。"
    ),
    "explain.norm-type.layernorm": (
        "LayerNorm 把一個 token 的向量減去平均值、除以標準差，再縮放每個分量。"
    ),
    "explain.norm-type.gain.w": "增益（gain）就是儲存的權重 w 本身。",
    "explain.norm-type.gain.1+w": (
        "增益（gain）是 1 + w：權重存的是與 1 的差。轉檔工具可能忘了加 1，也可能加了兩次；這裡不讀張量的值，所以兩種"
        "情況都無法從檔頭看出來。"
    ),
    "explain.norm-type.gain.mixers": "沒有注意力的層裡面則不是這樣：那裡的增益就是 w（{norms}）。",
    "explain.norm-type.gain.none": "這裡不做縮放：它沒有增益也沒有 bias，不需要儲存張量，所以也沒有缺少什麼。",
    "explain.norm-type.bias.rmsnorm.no": "它不帶 bias。",
    "explain.norm-type.bias.rmsnorm.yes": "這裡卻還是帶了 bias。",
    "explain.norm-type.bias.layernorm.no": "這裡它沒有 bias，但光是這樣並不會變成 RMSNorm：平均值還是要減。",
    "explain.norm-type.bias.layernorm.yes": "它還會加上 bias。",
    "explain.norm-type.qk.named": "注意力對 query 和 key 另有 norm（{norms}），用來避免注意力的 logits 越來越大。",
    "explain.norm-type.qk.latent": (
        "注意力內部另有 norm（{norms}）。它們作用在算出 query、key 和 value 的低秩（low-rank）潛在向量上；logits 的"
        "大小由之後的投影重新決定。"
    ),
    "explain.norm-type.qk.indexer": "挑選要看哪些 token 的 indexer 也有 norm（{norms}）。",
    "explain.norm-type.qk.inner": "注意力內部另有 norm（{norms}）。",
    "explain.norm-type.qk.unnamed": "注意力內部另有 norm，用來避免注意力的 logits 越來越大。",
    # --- where they stand ---
    "explain.placement.title": "norm 的位置：{name}",
    "explain.placement.name.pre": "子層之前（pre）",
    "explain.placement.name.post": "相加之後（post）",
    "explain.placement.name.output": "子層輸出（output）",
    "explain.placement.name.sandwich": "前後都有（sandwich）",
    "explain.placement.name.parallel": "並列（parallel）",
    "explain.placement.name.mixed": "混合（mixed）",
    "explain.placement.pre": (
        "每個子層讀的是殘差流（residual stream）經過 norm 的副本，再把結果加回殘差流；殘差流本身一路經過各層都不經"
        "過 norm。Xiong et al. 發現梯度從一開始就很穩定，訓練時不需要學習率 warm-up。"
    ),
    "explain.placement.post": (
        "norm 就放在殘差流上、每次相加之後，和 2017 年的 Transformer 一樣：每一層的輸出都經過 norm。Xiong et al. 發"
        "現剛開始訓練時，靠近輸出的梯度很大，一開始就用完整的學習率會造成傷害，並認為這就是這種模型訓練時要搭配學習"
        "率 warm-up 的原因。"
    ),
    "explain.placement.normed": (
        "每個 norm 都放在殘差流上、子層之前；它的輸出既是子層的輸入，子層的結果也加在它上面：每次相加之前，殘差流都"
        "經過 norm。"
    ),
    "explain.placement.output": (
        "norm 只放在每個子層的輸出上、加進殘差流之前：每一層加進去的量因此有上限，而子層本身直接讀取沒有經過 norm 的"
        "殘差流。OLMo 2 的報告說這是為了穩定：這樣做，再加上 query 和 key 的 norm，loss 的突波比 norm 放在輸入時少。"
    ),
    "explain.placement.sandwich": (
        "每個子層的輸入有一個 norm，輸出在相加之前又有一個：子層讀的是殘差流經過 norm 的副本，加進去的量也有上限。"
        "Gemma 2 的報告說這是為了訓練穩定。"
    ),
    "explain.placement.parallel": (
        "注意力和前饋網路並列讀取同一個輸入，兩邊的結果一次加回去：做張量平行時，比一前一後的做法每層少一次同步。"
    ),
    "explain.placement.mixed": "並不是所有子層的 norm 都放在同樣的位置。",
    "explain.placement.names": "{family} 每一層的 norm 叫做 {norms}。",
    # --- the final norm ---
    "explain.final-norm.title": "最後一層之後的 norm",
    "explain.final-norm.present": "有：{tensor}。",
    "explain.final-norm.absent": "缺少了：依這個架構應該有 {tensor}。",
    "explain.final-norm.unseen": "依這個架構應該有 {tensor}；這次沒有讀能確認這一點的檔頭。",
    "explain.final-norm.parameterless": "依這個架構有，但不帶權重：沒有存成張量。",
    "explain.final-norm.why.pre": (
        "採用 pre-norm 時，每個子層都往殘差流裡加東西，卻沒有任何地方把它縮回來，所以殘差流會隨深度變大；最後這個 "
        "norm 把它拉回 LM head 訓練時的大小。"
    ),
    "explain.final-norm.why.output": (
        "每個子層的輸出都經過 norm，但加總起來並沒有；最後這個 norm 把它拉回 LM head 訓練時的大小。"
    ),
    "explain.final-norm.without": "少了它，輸出會是錯的，程式卻不會報錯：形狀全都對得上。",
    "explain.final-norm.none.post": "這個架構沒有：採用 post-norm 時，最後一層本來就以 norm 結尾。",
    "explain.final-norm.none": "這個架構沒有。",
    # --- biases ---
    "explain.bias.title": "bias",
    "explain.bias.none": "依這份設定檔，{family} 沒有任何 bias。",
    "explain.bias.some": "依這份設定檔，{family} 有這些 bias：{where}。",
    "explain.bias.more": "JSON 報告裡還有另外 {count} 種名稱樣式。",
    "explain.bias.inferred": "沒有對照表說明這個 model_type 該有哪些 bias；檔案裡存了 {count} 種名稱樣式。",
    "explain.bias.others": "報告裡還列了別的：tower 與 projector 的 bias，或狀態空間步長的 dt_bias。",
    "explain.bias.flags": "控制它們的鍵：{flags}。",
    "explain.bias.no-flags": "{family} 沒有專門開關 bias 的鍵。",
    "explain.bias.flag.config": "{key} = {value}",
    "explain.bias.flag.default": "{key} = {value}（預設值）",
    # --- attention ---
    "explain.attention.title": "注意力：{name}",
    "explain.attention.name.mha": "multi-head (MHA)",
    "explain.attention.name.gqa": "grouped-query (GQA)",
    "explain.attention.name.mqa": "multi-query (MQA)",
    "explain.attention.name.mla": "multi-head latent (MLA)",
    "explain.attention.mha": "{heads} 個頭，每個都有自己的 key 和 value。",
    "explain.attention.gqa": (
        "{heads} 個 query 頭共用 {kv} 個 KV 頭，每 {each} 個共用一個：key 和 value（連同 KV cache）"
        "只有每個頭各存一份時的 1/{each}。論文發現品質和每個頭各有一份時相近，而全部共用同一個 KV 頭會差一些。"
    ),
    "explain.attention.mqa": (
        "全部 {heads} 個 query 頭共用同一個 KV 頭：key 和 value（連同 KV cache）只有每個頭各存一份時的 1/{each}。"
    ),
    "explain.attention.mla": (
        "{heads} 個頭的 key 和 value 都由同一個低秩（low-rank）潛在向量算出；快取只需要存它，"
        "再加上所有頭共用的一小段 key，不必存每個頭的 key 和 value。"
    ),
    "explain.attention.not-hidden": "所有頭合起來的寬度是 {wide:,}，殘差流是 {hidden:,}：兩者不必相等。",
    "explain.attention.full": "以上是有視窗的層；完整注意力的層，每個頭的大小是 {size}，key-value 頭有 {kv} 個。",
    "explain.attention.cache": "以每個元素 {each} 位元組計，上下文每多一個 token，快取就多 {bytes:,} 位元組。",
    "explain.attention.cache.windows": "視窗填滿之後，那些層就不再增加。",
    # --- the head ---
    "explain.tied.title": "{key} = {value}",
    "explain.tied.yes": "LM head 就是 token 嵌入，同一個矩陣再用一次，參數只算一次。",
    "explain.tied.saved": "這樣省下 {count:,} 個參數。",
    "explain.tied.no": "LM head 是獨立的矩陣，有 {count:,} 個參數。",
    "explain.tied.trade": (
        "它占模型的 {share:.1%}：對小模型省很多，對大模型幾乎沒差。代價是同一個矩陣既要表達 token 的意思，又要用來預"
        "測 token。"
    ),
    # --- what no header shows ---
    "explain.unseen.title": "檔頭看不出來的事",
    "explain.unseen.values": (
        "以下設定不會反映在任何張量的名稱或形狀上，卻會影響計算結果，設錯了模型照樣能載入，回答則會變差：{names}。"
    ),
    "explain.unseen.after": "- 訓練完不能更改，從檔頭也無法確認。",
    "explain.unseen.value": "{key} = {value}",
    "explain.unseen.default": "{key} = {value}（沒有設定：預設值）",
    "explain.unseen.code": "ε = {value}（寫死在程式碼裡）",
    "explain.unseen.open": "- 這份清單並不完整：其他的鍵，以及 transformers 程式碼寫死、沒有鍵的部分，同樣看不出來。",
    "explain.unseen.rotary": (
        "- 也看不出 RoPE 的一對由頭裡的哪些數字組成：是相鄰的，還是前後兩半的；q 和 k 會配合它重新排列。"
    ),
    "explain.unseen.gate": "- 也看不出 gate 和 up 有沒有弄反：它們的形狀相同。",
    "explain.unseen.offset": "- 也看不出增益的 1 是否已經併進權重。",
    "explain.unseen.quiet": "- 要確定的話，請用幾個 prompt 和原始模型的輸出比對。",
    # --- references ---
    **{key: text for key, text in en_explain.TEXTS.items() if key.startswith("ref.")},
}
