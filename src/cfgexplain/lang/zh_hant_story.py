"""Traditional Chinese: the story around the numbers: norms inside attention, latents, routing, windows, states.

References are titles of papers, and the same in every language.
"""

from typing import Final

from cfgexplain.lang import en_story

TEXTS: Final[dict[str, str]] = {
    # --- norms on queries and keys ---
    "explain.qk-norm.title": "query 和 key 的 norm",
    "explain.qk-norm.why": (
        "注意力的 logit 是 query 和 key 的內積，訓練過程中很少有東西能阻止它們變大。一旦變得太大，softmax "
        "會把全部權重放在一個 token 上，梯度消失；大模型曾因此發散。先把兩者正規化，就能讓它們維持固定的大小。"
    ),
    "explain.qk-norm.each": "這裡每個頭的 {size} 個數字各自正規化，所有頭共用同一份增益。",
    "explain.qk-norm.own": "這裡每個頭的 {size} 個數字各自正規化，而且每個頭有自己的增益。",
    "explain.qk-norm.bound": "不計後面的增益和縮放，不論輸入是什麼，內積都不會超過 {bound}。",
    "explain.qk-norm.whole": (
        "這裡 {heads} 個頭的 {wide:,} 個數字一起正規化，所以各個頭的大小仍然可以不同。這種 norm 如果要分給多個 rank，"
        "就必須跨 rank 加總。"
    ),
    "explain.qk-norm.unlike-cap": (
        "logits 的 soft cap 也是同樣的目的；但快速的注意力 kernel 偏好 norm，因為它在 kernel 開始之前就做完了。"
    ),
    # --- latents ---
    "explain.latent.title": "潛在注意力（MLA）：快取裡存的是什麼",
    "explain.latent.kept": (
        "所有頭的 key 和 value 都由一個 {rank} 個數字的潛在向量（latent）算出。快取為每個 token、每一層只需要它，"
        "再加上另外一段 {rope} 個數字的 key：共 {small:,} 個數字；如果每個頭都存 key 和 value，會是 {full:,} 個，"
        "也就是 {times:.1f} 倍。"
    ),
    "explain.latent.fold": (
        "先前的 token 不必再從潛在向量展開：展開用的矩陣可以事先乘進 query 和輸出的矩陣，注意力直接在潛在向量上計算。"
    ),
    "explain.latent.rotary": (
        "但 RoPE 夾在這些矩陣中間，本來會讓這件事行不通。所以每個 query 和 key 只用 {rope} 個數字帶位置，其餘的不帶；"
        "帶位置的 key 由所有頭共用。"
    ),
    # --- routing ---
    "explain.routing.title": "路由：token 怎麼找到專家",
    "explain.routing.how": (
        "router 替 {experts} 個專家各打一個分數，只計算其中 {k} 個，各帶一個由分數得出的權重 g，再把結果加起來。"
    ),
    "explain.routing.idle": "其中有 {idle} 個只把輸入原封不動交出去，沒有任何參數。",
    "explain.routing.skip": "另有一個選項是全部略過，那時什麼也不加。",
    "explain.routing.score.softmax": "分數是對所有專家的 softmax：專家互相競爭。",
    "explain.routing.score.selected": "權重是只對選中的專家的分數做的 softmax。",
    "explain.routing.score.sigmoid": "分數來自 sigmoid：每個專家各自評分。",
    "explain.routing.score.softplus": "分數是 softplus 的平方根：每個專家各自評分。",
    "explain.routing.score.mixer": (
        "專家一個接一個挑，分數最高的優先；每個的權重是對剩下的、分數夠接近的專家做 softmax，所以各權重的和不一定"
        "是一。"
    ),
    "explain.routing.normed.yes": "選中的專家的權重會除以它們的總和。",
    "explain.routing.normed.no": "選中的專家的權重不會除以它們的總和。",
    "explain.routing.normed.joint": (
        "router 也給共享專家分數；挑中的和共享的專家的權重一起除以總和，再乘上一個存下來的數字。"
    ),
    "explain.routing.biased": "挑選時每個分數還會加上一個 bias，但它不計入權重。",
    "explain.routing.hashed": (
        "只由 token 編號決定走哪些專家的層，分數只用作權重，不用來挑選。"
    ),
    "explain.routing.stored": "每個權重再乘上一個為該專家存下來的數字。",
    "explain.routing.grouped": "專家分成 {groups} 組，每個 token 只看其中最好的 {kept} 組。",
    "explain.routing.scaled": "權重最後再乘上 {value}（{key}）。",
    "explain.routing.inside": "權重乘在專家的輸入上，不是輸出上。",
    "explain.routing.shared": "不論選中哪些，每個 token 都還會經過共享的部分。",
    "explain.routing.choice": (
        "每一層都為每個 token 重新選擇。專家不一定對應到人叫得出名稱的主題：Mixtral 的作者發現，選擇比較跟著語法走，"
        "而不是內容。"
    ),
    "explain.routing.balance": (
        "有研究發現，放著不管時，router 會把越來越多 token 送給少數專家（Shazeer et al. 2017）。訓練時通常加上額外"
        "的 loss，或用 bias 替分到太少 token 的專家加分，來維持平衡。"
    ),
    "explain.routing.cost": (
        "一個 token 會經過 {total:,} 個參數中的 {active:,} 個（{share:.1%}）：矩陣計算量大致相當於同樣參數量的 "
        "dense 模型（回頭看其他 token 的計算另計），但記憶體要放得下全部參數。"
    ),
    "explain.routing.beside": "處理影像與聲音的部分沒有算進去：文字 token 不會經過。",
    "explain.routing.batch": "批次很大時，幾乎每個專家都會有 token 要用，所以全部都得準備好。",
    # --- windows ---
    "explain.windows.title": "視窗：一個 token 能看多遠",
    "explain.windows.mixed": (
        "{layers} 層中有 {count} 層只看最近 {window:,} 個 token（包含該 token 自己）；另外 {full} 層看得到全部。"
    ),
    "explain.windows.all": "{layers} 層中有 {count} 層只看最近 {window:,} 個 token（包含該 token 自己）。",
    "explain.windows.both-ways": (
        "{layers} 層中有 {count} 層以每個 token 為中心，看寬 {window:,} 個 token 的視窗：往前、往後各 {half:,} 個。"
    ),
    "explain.windows.chunked": (
        "{layers} 層中有 {count} 層把文字切成 {window:,} 個 token 的區段，token 只看得到自己那一段裡在它之前的內容："
        "每段的第一個 token 只看得到自己。"
    ),
    "explain.windows.reach": (
        "更早的內容仍然傳得過來，一層傳一層，每層一個視窗：最遠 {reach:,} 個 token，而且一路上會越來越模糊。"
    ),
    "explain.windows.full": "要精確找回很遠的 token，只能靠看得到全部的那 {full} 層。",
    "explain.windows.saved": (
        "有視窗的層，快取到視窗大小就不再增加：在 {context:,} 個 token 時是 {bytes:,} 位元組，而不是 {all:,}，"
        "只有 1/{times:.1f}。"
    ),
    "explain.windows.idle": "視窗是 {window:,} 個 token，不比上下文長度 {context:,} 短：它從來不會截掉任何東西。",
    # --- states ---
    "explain.states.title": "用狀態取代快取",
    "explain.states.what": (
        "{layers} 層中有 {count} 層帶有固定大小的狀態，每個 token 都更新一次，不像注意力為每個 token 各留一份 key "
        "和 value：不論文字多長，狀態占用的記憶體和每個 token 的計算時間都一樣。"
    ),
    "explain.states.kind.ssm": "狀態空間層讓狀態以隨輸入而變的速率衰減，藉此決定要留下什麼。",
    "explain.states.kind.linear": (
        "線性注意力把每個 token 的 key 和 value 寫進一個矩陣，query 再從中讀取；因為沒有 softmax，不必保留別的東西。"
    ),
    "explain.states.kind.delta-rule": (
        "這些層的每個頭保留一個矩陣。每來一個 token，矩陣先以隨輸入而變的速率衰減，再把該 key 原本對應的內容換掉，"
        "而不是往上加（gated delta rule），query 再從矩陣讀取。"
    ),
    "explain.states.kind.lightning": (
        "線性注意力把每個 token 的 key 和 value 加進一個矩陣，矩陣以每個頭固定的速率衰減，query 再從它讀取。"
    ),
    "explain.states.kind.mlstm": (
        "每個頭保留一個矩陣：一個 gate 決定留下多少，另一個指數 gate 決定新的 key 和 value 進來多少。"
    ),
    "explain.states.kind.time-mix": "每個通道保留過去數值的加權和，並以自己的速率衰減。",
    "explain.states.kind.recurrent": "有 gate 的遞迴逐一通道混合上一個狀態和新的輸入。",
    "explain.states.kind.conv": "短卷積只記得最近幾個 token。",
    "explain.states.bytes": (
        "以每個元素 2 位元組計，它們合起來，為一個序列保留 {bytes:,} 位元組；實作若用 float32 來存，那一部分會占兩倍。"
    ),
    "explain.states.break-even": "有注意力的層到 {tokens:,} 個 token 時就占用一樣多，而且還會繼續增加。",
    "explain.states.limit": "固定大小的狀態無法逐字記住任意長的文字：這類的層比較不擅長複製和精確查找。",
    "explain.states.with-attention": "這裡有 {count} 層注意力，可以精確查到它們還看得見的內容。",
    "explain.states.alone": "這裡沒有任何一層有注意力。",
    # --- references ---
    **{key: text for key, text in en_story.TEXTS.items() if key.startswith("ref.")},
}
