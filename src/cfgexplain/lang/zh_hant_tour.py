"""Traditional Chinese: the tour, for somebody who has never read a config."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "tour.page": "{number}/{count}  {title}",
    "tour.more": "Enter：下一頁   q：結束",
    # --- 1 ---
    "tour.start.title": "模型在磁碟上長什麼樣子",
    "tour.start.hello": "我們來逛一逛 {name}。大約五分鐘，只需要國中程度的算術。",
    "tour.start.files": (
        "磁碟上的語言模型是兩樣東西。config.json 是一頁設定。權重則是許多大型的數字表，由訓練得來。safetensors 檔以"
        "檔頭（header）開始，說明裡面有哪些表、各有多大；cfgexplain 讀的是設定檔和這些檔頭，從不讀數字本身。"
    ),
    "tour.start.tensors": "這個模型由訓練得來的數字有 {params:,} 個，稱為參數。",
    "tour.start.config": "它的一部分設定，照 config.json 的寫法：",
    "tour.start.none": "這個目標沒有設定檔：以下內容來自各張表的名稱和大小。",
    "tour.start.promise": "逛完之後，你會知道這裡的每一項在做什麼。",
    # --- 2 ---
    "tour.tokens.title": "從文字到向量",
    "tour.tokens.text": (
        "文字會切成 token，也就是字詞的片段。總共有 {vocab:,} 種（{vocab_key}），每一種都有編號。第一張表叫做嵌入（"
        "embedding），每個 token 占一列：{hidden:,} 個數字，代表這個 token 的意思。這個數目叫做隱藏維度（hidden size，"
        "{hidden_key}）。"
    ),
    "tour.tokens.stream": (
        "從這裡到最後，每個 token 都是這樣一列 {hidden:,} 個數字。這就是殘差流（residual stream）：每一層都讀取它，再"
        "把結果加回去。"
    ),
    # --- 3 ---
    "tour.layers.title": "一層又一層",
    "tour.layers.text": (
        "模型有 {layers} 層（{key}），一層接著一層。一層多半做兩件事：讓 token 互相看一看（注意力，或代替它的東西），"
        "再個別處理每個 token（前饋網路）。由上往下畫出來是這樣："
    ),
    "tour.layers.crossed": (
        "輸出結果的那一疊有 {layers} 層（{key}），一層接著一層。一層會讓 token 互相看一看（注意力），個別處理每個 "
        "token（前饋網路），中間還可能去看另一疊讀到的東西（cross-attention）。由上往下畫出來是這樣："
    ),
    "tour.layers.plain": (
        "模型有 {layers} 層（{key}），一層接著一層。多數的層做兩件事：先讓 token 互相看一看，再個別處理每個 token（"
        "前饋網路）。"
    ),
    "tour.layers.plus": "符號 ⊕ 是結果加回殘差流的地方。",
    "tour.layers.table": (
        "一張表可以把一列數字變成另一列。{a:,} × {b:,} 的表把 {a:,} 個數字變成 {b:,} 個：每個新的數字，都是所有舊的"
        "數字各乘上表裡對應的一格，再加起來。如果有 bias，每個結果還要再加上一個數。"
    ),
    # --- 4 ---
    "tour.norm.title": "維持大小：norm",
    "tour.norm.why": (
        "一加再加，數字會越來越大；而各層在數字大小穩定時運作得最好。所以在需要的地方，會有一個 norm（正規化層）把每"
        "個 token 的那一列調整回同樣的大小。"
    ),
    "tour.norm.rmsnorm": "這個模型用 RMSNorm：把所有數字平方、取平均、開根號，再用每個數字除以它。",
    "tour.norm.layernorm": "這個模型用 LayerNorm：每個數字先減去平均值，再除以標準差。",
    "tour.norm.gain": "之後每個數字各乘上一個訓練得來的係數。",
    "tour.norm.shift": "之後每個數字各乘上一個訓練得來的係數，再加上一個訓練得來的數。",
    "tour.norm.plain": "它沒有需要訓練的東西，所以也沒有存成任何一張表。",
    "tour.norm.eps": (
        "如果所有數字都是零，就會除以零，所以在根號裡加上一個極小的 ε（{key}）：這裡是 {eps}。從權重完全看不出訓練時"
        "用的是多少。程式如果用了別的值，不會當掉，但回答會變差，可能差一點，也可能差很多。所以值得檢查。"
    ),
    "tour.norm.eps-code": (
        "如果所有數字都是零，就會除以零，所以在根號裡加上一個極小的 ε：這裡是 {eps}，寫死在這個模型的程式碼裡。從權"
        "重完全看不出訓練時用的是多少。程式如果用了別的值，不會當掉，但回答會變差，可能差一點，也可能差很多。所以值"
        "得檢查。"
    ),
    "tour.norm.pre": (
        "這裡的 norm 放在一層的每個部分之前（pre-norm），所以殘差流本身走過各層時，沒有任何 norm 把它縮回來。"
    ),
    "tour.norm.last": "所以最後還有一個 norm。",
    "tour.norm.post": (
        "這裡的 norm 放在每次相加之後（post-norm，和 2017 年一樣）：殘差流在每一步之後都調整回同樣的大小，不需要最後"
        "的 norm。有研究發現這種模型剛開始訓練時步伐要小（Xiong et al. 2020）。"
    ),
    "tour.norm.output": "這裡的 norm 放在每個部分的輸出上、相加之前（output norm）。",
    "tour.norm.sandwich": "這裡每個部分的輸入有一個 norm，輸出又有一個（sandwich）。",
    "tour.norm.parallel": "這裡的注意力和前饋網路並列，讀取同一列經過 norm 的數字。",
    "tour.norm.mixed": "這裡的 norm 並不是每個地方都放在同樣的位置。",
    # --- 5 ---
    "tour.attention.title": "看看其他 token：注意力",
    "tour.attention.text": (
        "在注意力裡，每個 token 會提出一個問題（query），也提供一個標籤（key）和一份內容（value）。問題遇到合適的標籤，"
        "內容就會流過來。這件事同時並列進行 {heads} 次，分別在 {heads} 個頭（head）裡（{key}）。"
    ),
    "tour.attention.size": "每個頭處理 {size} 個數字（{key}）；{heads} × {size} = {wide:,}。",
    "tour.attention.mha": "每個頭都有自己的 key 和 value。",
    "tour.attention.gqa": (
        "為了節省記憶體，每 {each} 個 query 頭共用一組 key 和 value，所以 key 和 value 只有 {kv} 組（{key}）。這叫"
        "做 grouped-query attention (GQA)。"
    ),
    "tour.attention.mqa": "為了節省記憶體，所有 query 頭共用同一組 key 和 value。",
    "tour.attention.mla": (
        "為了節省記憶體，所有頭的 key 和 value 都由一列較短的數字（潛在向量，latent）算出來：只需要保留那一列，以及"
        "所有頭共用的一小段 key。"
    ),
    "tour.attention.layers": "{count} 層{kind}",
    "tour.attention.where": "注意力本身只比較 token 的內容，不管它們在文字的哪個位置。",
    "tour.attention.where.rope": (
        "所以每個 query 和 key 的數字兩兩一對旋轉，角度隨 token 的位置增加（旋轉位置編碼，RoPE）。"
    ),
    "tour.attention.where.rope-some": (
        "所以其中 {count} 層會把每個 query 和 key 的數字兩兩一對旋轉，角度隨 token 的位置增加（旋轉位置編碼，RoPE）。"
    ),
    "tour.attention.where.theta": (
        "轉得多快由 base θ（{key}）決定，這裡是 {theta}：θ 越大，慢的那些對就轉得越慢，能容納的文字就越長。"
    ),
    "tour.attention.where.learned": (
        "所以每個位置有一組訓練得來的數字，在第一層之前加到 token 的那一列上（可學習的位置嵌入）。"
    ),
    "tour.attention.where.sinusoidal": (
        "所以每個位置有一組固定的正弦和餘弦值，在第一層之前加到 token 的那一列上（正弦位置編碼）。"
    ),
    "tour.attention.where.alibi": (
        "所以兩個 token 離得越遠，每個頭就把它們的分數扣得越多，每個頭扣的幅度不同（ALiBi）。不需要訓練，也不需要儲存"
        "任何東西。"
    ),
    "tour.attention.where.relative": (
        "所以兩個 token 的分數也取決於它們的距離，取決的方式由訓練得來（相對位置編碼）。"
    ),
    "tour.attention.where.none": (
        "這個模型沒有為此加上任何東西：順序要靠其他種類的層，以及 token 能看到哪些內容來得知。"
    ),
    "tour.attention.cache": (
        "模型生成文字時，會保留到目前為止所有 token 的 key 和 value：這裡每個 token 是 {bytes:,} 位元組。"
    ),
    "tour.attention.cache-latent": (
        "模型生成文字時，會保留到目前為止所有 token 的這種短列：這裡每個 token 是 {bytes:,} 位元組。"
    ),
    "tour.attention.cache-full": "用到最長的上下文 {context:,} 個 token（{key}）時，就是 {full}。",
    "tour.attention.mix": "這裡並不是每一層都做一樣的事：{mix}。",
    "tour.attention.none": (
        "這個模型沒有注意力。每一層改成帶著固定大小的記憶，從一個 token 走到下一個：它不會隨文字變長而變大，也記不住"
        "所有東西。"
    ),
    # --- 6 ---
    "tour.ffn.title": "處理單一 token：前饋網路",
    "tour.ffn.plain": (
        "第一張表把那一列 {hidden:,} 個數字變成 {width:,} 個（{key}），每個都經過簡單的非線性函數 {act}，第二張表再"
        "變回 {hidden:,} 個：一共兩張表。"
    ),
    "tour.ffn.gated": (
        "這 {hidden:,} 個數字分別經過兩張表，各變成 {width:,} 個（{key}）。其中一個結果經過簡單的非線性函數 {act}，"
        "當作另一個的閘門（gate）：兩者逐一相乘。第三張表再把乘積變回 {hidden:,} 個數字。"
    ),
    "tour.ffn.both": "設定檔把這兩張表合起來算：{key} 在那裡是 {value:,}。",
    "tour.ffn.act": "{act}（{key}）",
    "tour.ffn.special": (
        "這 {hidden:,} 個數字分別經過 gate 和 up 兩張表，各變成 {width:,} 個（{key}）。兩個結果再逐一合成一個，由 "
        "gate 決定另一個留下多少：{act}。第三張表再變回 {hidden:,} 個數字。"
    ),
    "tour.ffn.unknown": "（不明）",
    "tour.ffn.rule": "為什麼剛好是 {width:,}？有人選了一條簡單的規則，再由程式無條件進位：",
    "tour.ffn.rule-exact": "為什麼剛好是 {width:,}？它來自一條簡單的規則：",
    "tour.ffn.rule-why": (
        "以往的慣例是兩張表，寬度是隱藏維度的四倍。三張表的成本要一樣，寬度就縮成三分之二；而整齊的數字跑得比較快。"
    ),
    "tour.ffn.four": "{width:,} 是 {hidden:,} 的四倍，這是 2017 年以來的慣例。",
    "tour.ffn.four-gated": "{width:,} 是 {hidden:,} 的四倍。那是兩張表時的慣例；三張表都這麼寬，參數就是 1.5 倍。",
    "tour.ffn.expert": "{key}，指每個專家，見下一頁",
    "tour.ffn.choice": "{width:,} 不是來自 cfgexplain 知道的任何規則：這是一個選擇，是隱藏維度的 {ratio:.2f} 倍。",
    "tour.ffn.share": "所有這些前饋網路加起來，占模型參數的 {share:.0%}。",
    "tour.ffn.gate-why": "閘門為什麼有用，還不清楚：提出它的論文發現有用，但沒有說明原因（Shazeer 2020）。",
    # --- 7 ---
    "tour.experts.title": "專家很多，用到的很少",
    "tour.experts.all": (
        "全部 {layers} 層都各有 {experts} 個前饋網路（專家，{key}），而不是只有一個，每個寬 {width:,}。"
    ),
    "tour.experts.some": (
        "{all} 層之中有 {layers} 層各有 {experts} 個前饋網路（專家，{key}），而不是只有一個，每個寬 {width:,}。"
    ),
    "tour.experts.shared": "另外還有共享的部分，不經 router 挑選，每個 token 都會經過。",
    "tour.experts.text": (
        "一個小小的 router 為每個 token 選出其中 {k} 個（{key}）。全部都要儲存，但只計算選中的那幾個。"
    ),
    "tour.experts.active": "一個 token 會經過 {total:,} 個參數中的 {active:,} 個。",
    # --- 8 ---
    "tour.head.title": "從向量回到文字",
    "tour.head.final": "最後一層之後還有一個 norm，接著是輸出層（LM head）：",
    "tour.head.nofinal": "最後一層之後是輸出層（LM head）：",
    "tour.head.own": (
        "一張 {vocab:,} × {hidden:,} 的表，為詞彙表裡的每個 token 打分數。分數最高的，就是最可能的 token。有些模型在"
        "這裡直接沿用嵌入（{key}）；這個模型另外有一張表。"
    ),
    "tour.head.tied": (
        "把嵌入再用一次，為 {vocab:,} 個 token 各打一個分數。分數最高的，就是最可能的 token。共用這張表可以省下它的"
        "參數（{key}）。"
    ),
    "tour.head.next": "生成文字時，會從中挑一個當下一個 token，然後全部再來一次。",
    "tour.head.none": "這個模型沒有輸出層：輸出的就是那些數字列本身，每個 token 一列。",
    "tour.head.task": "這個模型沒有對應詞彙表的輸出層；它的答案由 {name} 算出來。",
    # --- 9 ---
    "tour.sum.title": "全部加起來",
    "tour.sum.text": "每個參數都屬於以下其中一個部分：",
    "tour.sum.bytes": "權重在磁碟上占 {bytes}。照儲存的格式載入，就占用同樣多的記憶體。",
    "tour.sum.bytes-each": "權重在磁碟上占 {bytes}：每個參數 {each} 位元組。照儲存的格式載入，就占用同樣多的記憶體。",
    "tour.sum.bytes-average": (
        "權重在磁碟上占 {bytes}：平均每個參數 {each} 位元組。照儲存的格式載入，就占用同樣多的記憶體。"
    ),
    # --- 10 ---
    "tour.faults.title": "什麼會出錯，誰會發現",
    "tour.faults.loud": "設定檔裡的大小如果錯了，表就對不上，載入會失敗。這種錯誤無傷大雅。",
    "tour.faults.silent": (
        "另一種錯誤是無聲的。ε、RoPE 的 base (θ)、激勵函數、norm 的位置、某個縮放倍率：這些都不影響任何一張表的大小，"
        "所以值錯了也照樣能載入，模型可能變差一點，可能在長的文字上變差，也可能胡言亂語。連 cfgexplain 也無法從檔頭"
        "看出訓練時用的是什麼；它能說的是一個值從哪裡來、別人用的是多少、哪裡互相矛盾。"
    ),
    "tour.faults.none": "cfgexplain 在這個模型裡沒有發現問題。",
    "tour.faults.some": "cfgexplain 在這個模型裡發現：",
    "tour.next.title": "接下來可以看什麼",
    "tour.next.text": "可以試試這些指令：",
    "tour.next.whole": "這個模型的完整說明",
    "tour.next.key": "它的某一個鍵，附上自己的數字",
    "tour.next.html": "附有圖的網頁",
    "tour.next.examples": "cfgexplain 內附的其他模型",
    "tour.next.any-key": "不看模型，只查一個鍵的意思",
    "tour.next.own": "你自己的模型",
    "tour.next.check": "只看它可能有什麼問題",
    "tour.next.rule": "某項檢查在找什麼、為什麼",
    "tour.next.diff": "兩個模型有哪些不同",
}
