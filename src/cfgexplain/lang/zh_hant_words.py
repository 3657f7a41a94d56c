"""Traditional Chinese: the words of the field, each in a sentence or two, for `cfgexplain key WORD`."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "word.keys": "可以接著看的鍵：{names}",
    "word.hint": "`cfgexplain tour` 會用一個模型帶你看過其中大部分的詞。",
    "word.also": "作為術語，{name}：{text}",
    "word.gqa": (
        "Grouped-query attention：query 頭分成幾組，同一組共用一個 key 頭和一個 value 頭。"
        "每組 4 個時，KV cache 只有每個 query 頭各有 key 和 value 時的四分之一。"
    ),
    "word.mha": "Multi-head attention：每個 query 頭都有自己的 key 頭和 value 頭。",
    "word.mqa": "Multi-query attention：所有 query 頭共用一個 key 頭和一個 value 頭。",
    "word.mla": (
        "Multi-head latent attention：所有頭的 key 和 value 都由每個 token 的一個短向量（潛在向量）算出來。"
        "快取只存這個潛在向量，和帶有位置的一小部分。"
    ),
    "word.moe": (
        "混合專家（mixture of experts）：一層裡不是只有一個前饋網路，而是有很多個（專家），router 替每個 token 選出其中幾個。"
        "每個 token 只用到一部分參數來計算，但全部參數都要占記憶體。"
    ),
    "word.swiglu": (
        "有三個矩陣的前饋網路，down(silu(gate(x)) × up(x))：gate 的輸出經過 SiLU，再與另一個投影逐個數字相乘。"
    ),
    "word.geglu": "有三個矩陣的前饋網路，down(gelu(gate(x)) × up(x))：和 SwiGLU 一樣，只是把 SiLU 換成 GELU。",
    "word.glu": (
        "Gated linear unit：同一個輸入的兩個投影，其中一個經過一條曲線，再與另一個逐個數字相乘。"
        "最早的 GLU 用 sigmoid；SwiGLU 和 GeGLU 分別用 SiLU 和 GELU。"
    ),
    "word.rope": (
        "旋轉位置編碼（rotary position embedding）：每個 query 和 key 裡的數字兩兩成對，依 token 的位置旋轉，位置越後面轉得越多。"
        "這樣注意力分數取決於兩個 token 相距多遠，也不必儲存位置的表格。"
    ),
    "word.alibi": (
        "Attention with linear biases：每個注意力分數都按兩個 token 的距離成比例扣分，每個頭的斜率不同。沒有位置嵌入。"
    ),
    "word.yarn": (
        "把 RoPE 拉長到更長上下文的一種方法：轉得慢的數字對再放慢一個倍數，轉得快的不變，介於中間的部分放慢，"
        "注意力也稍微變得更集中。"
    ),
    "word.rmsnorm": (
        "一種 norm：把向量除以均方值（加上 ε）的平方根，再把每個數字乘上訓練得來的增益。"
        "和 LayerNorm 不同，它不減平均值，通常也沒有 bias。"
    ),
    "word.layernorm": (
        "一種 norm：減去向量的平均值，除以標準差（ε 加在變異數上），再把每個數字乘上訓練得來的增益，多半還會加上訓練得來的 bias。"
    ),
    "word.logits": "模型最後給出的分數，詞彙表裡每個 token 一個；softmax 把它們變成機率。",
    "word.head": (
        "在注意力裡，是同一層並列進行的幾個注意力之一，各有自己的 query。"
        "輸出端的 LM head 是另一回事：它是把最後一層的輸出變成 logits 的矩陣。"
    ),
    "word.router": "混合專家裡的小矩陣，替每個 token 給各個專家打分數；token 只經過分數最高的幾個。",
    "word.expert": (
        "混合專家裡的其中一個前饋網路。由 router 分派的專家只處理分派給它的 token；共享專家則處理每個 token。"
    ),
    "word.gate": (
        "在有閘（gated）的前饋網路裡，是經過激勵函數、再與另一個投影（up）逐個數字相乘的投影。在混合專家裡，router 也常常叫做 gate。"
    ),
    "word.residual": (
        "殘差流（residual stream）：每個 token 一路走過各層的那個向量。每個子層都讀取它，再把自己的輸出加回去。"
    ),
    "word.cache": (
        "KV cache：到目前為止所有 token 的 key 和 value，保留下來，後面的 token 就不必重新計算。"
        "它隨文字長度增加，要占權重以外的記憶體。"
    ),
    "word.token": (
        "一小段文字，例如一個詞、詞的一部分或一個位元組，tokenizer 給它一個編號。這個編號就是它在嵌入裡的列。"
    ),
    "word.tensor": "有名稱、形狀和 dtype 的一組數字：例如一個權重矩陣，或一個向量。",
    "word.header": (
        ".safetensors 檔案開頭的部分：用 JSON 列出每個張量的 dtype、形狀和在檔案裡的位置。"
        "關於權重，cfgexplain 只讀這些。"
    ),
    "word.checkpoint": "存起來的模型：存有權重的檔案，加上說明怎麼使用它們的設定檔。",
    "word.dtype": "張量裡數字的格式。每個數字在 F32 占 4 個位元組，在 BF16 和 F16 占 2 個，在 F8 和 I8 占 1 個。",
    "word.bias": (
        "乘上矩陣之後加上的訓練得來的向量，y = W·x + b；norm 乘上增益之後也可能加上一個。許多較新的模型沒有 bias。"
    ),
    "word.gain": (
        "norm 裡訓練得來的倍率，向量的每個數字一個；就是 norm 的 weight 張量。"
        "有些模型存的是與 1 的差，這時增益是 1 + w。"
    ),
    "word.softmax": (
        "把一列分數變成加起來等於 1 的正數：每個都是 exp(分數) 除以全部的總和。"
        "注意力對各個 token 使用它，輸出端則對詞彙表使用它。"
    ),
    "word.pre-norm": (
        "在每個子層之前放一個 norm：x + f(norm(x))。殘差流本身一路上都不經過 norm，所以 LM head 之前還有最後一個 norm。"
    ),
    "word.post-norm": (
        "在每次相加之後放一個 norm：norm(x + f(x))，最早的 Transformer 就是這樣。離開一層時已經經過 norm，所以 LM head 之前不需要再一個。"
    ),
    "word.qk-norm": "在注意力內部、計算分數之前，作用在 query 和 key 上的 norm。它讓分數在訓練時不會無限變大。",
    "word.tied": "LM head 就是把 token 嵌入再用一次：同一個矩陣只存一份，兩端都用。",
    "word.ffn": (
        "前饋網路（feed-forward）：層裡個別處理每個 token 的部分，先把向量變寬，套用一條曲線，再變回原來的寬度。"
        "在多數 dense 模型裡，大部分的參數都在這裡。"
    ),
    "word.embedding": "一張表，詞彙表裡的每個 token 有一列，也就是一個訓練得來的向量。",
    "word.attention": (
        "層裡讓 token 互相看到的部分：每個 token 取其他 token 的 value 的加權平均，權重由自己的 query 和它們的 key 算出。"
    ),
}
