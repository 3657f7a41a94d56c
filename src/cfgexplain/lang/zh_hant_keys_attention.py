"""Traditional Chinese: keys of attention, positions, windows and latents. See ``en_keys_core`` for the conventions."""

from typing import Final

_NO_FIT: Final = "張量對不上，載入會失敗。"
_SCALE: Final = "不會報錯，因為它沒有張量。注意力會比訓練時更集中或更分散。"

KEYS: Final[dict[str, tuple[str, str]]] = {
    # --- heads ---
    "num_attention_heads": (
        "一層裡並列計算幾種注意力分布，每一種各用自己的 head_dim 個數字。",
        "和 head_dim 的乘積如果變了，載入會失敗。如果沒變（例如 32 × 64 寫成 16 × 128），每個張量都對得上，"
        "輸出卻是胡言亂語。",
    ),
    "num_key_value_heads": (
        "有幾個頭有自己的 key 和 value；query 頭分組共用它們。和 query 頭一樣多就是 MHA，只有一個是 MQA，"
        "介於中間是 GQA。"
        "變小的只有快取和 k、v 矩陣；query 頭的數目不變。這個鍵出現之前的 checkpoint 沒有寫它，"
        "意思多半是和 query 頭一樣多。",
        "k 和 v 矩陣對不上，載入會失敗。",
    ),
    "num_key_value_heads.latent": (
        "在潛在注意力裡，每個頭都從潛在向量得到自己的 key 和 value，沒有分組共用這回事。沒有張量由這個鍵決定：它"
        "必須等於 num_attention_heads。",
        "載入會成功，但 transformers 一拿到輸入就會失敗：它依兩個數字的商重複 key 和 value，結果就和 query 的形狀不相符。",
    ),
    "num_attention_heads.ssm": (
        "狀態空間層的內部寬度切成幾個頭，每個頭有一個遺忘速率：A_log、D、dt_bias 和 in_proj 的一部分由它決定大小。"
        "這裡沒有注意力。",
        "張量對不上，載入失敗。",
    ),
    "num_attention_heads.mlstm": (
        "一層的 mLSTM 有幾個頭，每個頭有一個矩陣當記憶、一個輸入閘和一個遺忘閘。這裡沒有注意力。",
        "閘的張量對不上，載入失敗。",
    ),
    "head_dim.ssm": (
        "狀態空間層一個頭的寬度：num_heads · head_dim 必須等於 expand · hidden_size。這裡沒有注意力。",
        "兩個乘積不同的設定檔，參考實作會拒絕。",
    ),
    "multi_query.new": (
        "後期 Falcon 模型的層：KV 頭的數目照 num_kv_heads，不管 multi_query 是什麼；注意力和前饋網路並排，"
        "除非 num_ln_in_parallel_attn 另有設定，各有自己的 norm（ln_attn、ln_mlp）。",
        "會建立沒有張量可填的 norm，或忽略存好的 norm；合併的 query、key、value 矩陣也會切在錯的地方。",
    ),
    "sliding_window.pixels": (
        "這個視覺編碼器裡，多數層只在正方形視窗內往各個方向看；這是視窗的邊長，以像素計。除以 patch 大小就是以 patch "
        "計的邊長；哪些層看整張影像由 fullatt_block_indexes 決定。",
        "不會報錯；patch 看到的影像範圍比訓練時多或少。",
    ),
    "sliding_window.patches": (
        "這個視覺編碼器裡，多數層只在正方形視窗內往各個方向看；這是視窗的邊長，以 patch 計。哪些層看整張影像由 "
        "global_attn_indexes 決定。",
        "若有相對位置的表，表是照這個大小建立的，會對不上；沒有的話不會報錯。",
    ),
    "sliding_window.frames": (
        "投影模組一次讀幾個聲音音框；每個視窗產生 window_size / downsample_rate 個向量給語言模型。",
        "學習得來的 query 表對不上，載入失敗。",
    ),
    "fullatt_block_indexes": (
        "視覺編碼器裡哪些層看整張影像，從 0 起算；其他層只看視窗之內。",
        "不會報錯；各層看到的影像範圍比訓練時多或少。",
    ),
    "pos_att_type": (
        "解耦注意力（disentangled attention）的分數要加上哪些項：c2p 是自己的內容對另一方的相對位置，p2c 反過來"
        "（pos_att_type）；以及位置是否和內容用同一組 query 與 key 矩陣，而不是另有一組（share_att_key）。",
        "會建立沒有張量可填的位置矩陣，或忽略存好的；共用時不會報錯，但注意力是錯的。",
    ),
    "relative_attention": (
        "注意力是否也看兩個 token 相距多遠，距離查自一張各層共用的表（relative_attention），以及距離分辨到多遠"
        "（max_relative_positions；小於 1 就是 max_position_embeddings；設了 position_buckets 時，由它的列分攤各種距離）。",
        "會建立沒有張量可填的表和矩陣，或忽略存好的。",
    ),
    "norm_rel_ebd": (
        "相對位置表上的 norm：layer_norm，或 none（沒有）。",
        "會建立沒有張量可填的 norm，或忽略存好的那個。",
    ),
    "multi_query": (
        "query 頭是否共用 KV 頭：共用一個（multi_query），或另一個鍵說的數目（multi_query_attention、"
        "new_decoder_architecture）。",
        "k 和 v 矩陣對不上。",
    ),
    "head_dim": (
        "一個頭的寬度。沒有寫的話，許多架構家族用 hidden_size / num_attention_heads，有些用自己的數字；"
        "有寫的話，所有頭合起來可以比隱藏維度更寬或更窄。"
        "多數注意力的 logits 會除以 √head_dim（T5 不會，有些架構家族另有鍵來決定）；"
        "位置如果用 RoPE，會把其中的數字兩兩成對旋轉。",
        "如果張量的形狀因此改變，載入會失敗；不理會這個鍵、自己用除法計算的推論引擎，遇到這種模型就會失敗。",
    ),
    "head_dim.latent": (
        "在潛在注意力裡，頭的寬度另有鍵決定：query 和 key 是 qk_nope_head_dim + qk_rope_head_dim，value 是"
        " v_head_dim。有讀 head_dim 的話，它是 RoPE 所旋轉的部分。",
        "如果 RoPE 依它建立，就和要旋轉的部分不相符，一有輸入就失敗；否則沒有影響。",
    ),
    "global_head_dim": (
        "完整注意力的層的頭寬度或 KV 頭數，用在它們和有視窗的層不同時。",
        "那些層的投影對不上。",
    ),
    "swa_num_attention_heads": (
        "滑動視窗層的頭數，用在它們和其他層不同時。",
        "那些層的投影對不上。",
    ),
    "attention_k_eq_v": (
        "有些層是否把 key 也當成 value：少一個矩陣，沒有 v 張量。",
        "會建立沒有張量可填的 v 矩陣，或儲存的 v 矩陣會被忽略。",
    ),
    "num_kv_shared_layers": (
        "最後幾層不計算自己的 key 和 value，而是讀前面某一層的：快取更小，時間更短。",
        "那些層會注意到錯的 key，或建立沒有張量可填的矩陣。",
    ),
    "attn_output_gate": (
        "注意力的結果在輸出投影之前，是否要乘上由同一個輸入算出的 gate。如果兩者存在一起，q 矩陣的高度會加倍。",
        "q 矩陣對不上，或 gate 會被忽略。",
    ),
    "add_swa_attention_sink_bias": (
        "每個頭是否有一個訓練得來的 logit，背後沒有對應的 token (attention sink)。沒有東西可以注意的頭，"
        "可以把權重放在那裡，"
        "而不是放在第一個 token 上。",
        "這些 logit 會是隨機值，或儲存的會被忽略。",
    ),
    "attn_logit_softcapping": (
        "注意力 logits 的 soft cap：softmax 之前先算 cap · tanh(logit / cap)。遠低於 cap 時沒有變化；"
        "超過之後 logit 會趨於平緩。",
        "不會報錯。有些快速的 kernel 會略過它，接近 cap 時，注意力的分布就不同了。",
    ),
    "final_logit_softcapping": (
        "輸出 logits 的 soft cap：cap · tanh(logit / cap)。token 的排名不變，所以貪婪解碼（greedy decoding）也不變；"
        "機率則會變。",
        "不會報錯；機率是偏的，取樣和 perplexity 也跟著偏。",
    ),
    "query_pre_attn_scalar": (
        "注意力之前，query 用這個數的平方根倒數來縮放，取代 1/√head_dim。",
        _SCALE,
    ),
    "attention_multiplier": (
        "注意力 logits 的倍率，取代 1/√head_dim。",
        _SCALE,
    ),
    "scale_attn_weights": (
        "注意力 logits 縮放的細節：要不要乘 1/√head_dim、要不要除以層的編號、是不是用 float32。",
        "不會報錯；注意力會比訓練時更集中或更分散。",
    ),
    "logit_scale": (
        "輸出 logits 的常數：有些架構家族是乘上它，有些（logits_scaling）是除以它。",
        "貪婪解碼不變；機率會太集中或太分散。",
    ),
    "embedding_multiplier": (
        "嵌入在進入第一層之前乘上的常數。",
        "不會報錯，因為它沒有張量。前幾層看到的向量大小是錯的。",
    ),
    "scale_embedding": (
        "嵌入在進入第一層之前是否乘上 √hidden_size，像 2017 年的 Transformer 那樣。",
        "不會報錯，因為它沒有張量。token 的向量和位置相比會太小或太大。",
    ),
    "residual_multiplier": (
        "每個子層加進殘差流的量要乘上的常數。",
        "不會報錯，因為它沒有張量。每一層的分量會太重或太輕。",
    ),
    "scale_depth": (
        "依寬度和深度縮放（μP）的常數：子層加進去的量乘上 scale_depth / √layers，"
        "logits 除以 hidden_size / dim_model_base。",
        "不會報錯，因為它們沒有張量。每一層或每個 logit 的分量會太重或太輕。",
    ),
    "key_multiplier": (
        "子層的輸入、輸出以及 key 上的常數，是依寬度縮放（μP）留下來的。",
        "不會報錯，因為它們沒有張量。子層的分量會太重或太輕。",
    ),
    "attention_type": (
        "輸入很長時，各層計算哪一種注意力：所有的配對，或分成區塊再加上少數隨機與全域的配對。",
        "不會報錯；token 看到的是和訓練時不同的 token。",
    ),
    "attention_type.chunk": (
        "lightning attention 一次計算多少個 token：在一段之內用加上遮罩的矩陣乘積，段與段之間則透過狀態。",
        "影響速度和捨入，不影響結果。",
    ),
    "clip_qkv": (
        "把 query、key、value 截斷在 ± 這個值，讓注意力的 logits 有上限。",
        "不會報錯；只有數值真的那麼大時才有影響。",
    ),
    "use_bidirectional_attention": (
        "token（全部，或一張圖片的）是否也能注意到後面的內容。",
        "遮罩和訓練時不同；不會報錯。",
    ),
    "attn_temperature_tuning": (
        "讓 query 隨位置變大，使注意力在很長的上下文裡仍然集中。",
        "不會報錯；遠處位置的注意力會太分散或太集中。",
    ),
    "index_topk": (
        "稀疏注意力：由一個小的 indexer 替先前所有 token 打分數，這一層只注意其中分數最高的這麼多個。"
        "上下文超過它之後，每個 token 的時間就不再增加，只有 indexer 本身的會。",
        "不會報錯；這一層讀到的 token 比訓練時更少或更多。",
    ),
    "index_n_heads": (
        "為稀疏注意力挑選 token 的 indexer 的頭數，或頭的寬度。",
        "indexer 的張量對不上。",
    ),
    # --- windows ---
    "sliding_window": (
        "有視窗的層看多少個 token：往回看這麼多個，包含自己，在編碼器則是前後各看一半。有快取的話，快取到這裡就不"
        "再增加；更遠的內容只能經由下面各層傳過來，每層一個視窗。null 就是沒有視窗。",
        "不會報錯。太小，模型該看到的文字就看不到；太大，就會看到訓練時從沒見過的距離。",
    ),
    "sliding_window.two-sided": (
        "有視窗的層的視窗大小：往前往後各看一半，因為模型一次讀整段文字。更遠的內容只能經由下面的層傳過來，每層半"
        "個視窗。它沒有快取。",
        "不會出錯。太小，該看到的文字就看不到；太大，會看到訓練時從沒見過的距離。",
    ),
    "use_sliding_window": (
        "到底要不要使用視窗。設定檔裡常常寫了 sliding_window，卻用這個鍵關掉。",
        "不會報錯；長的輸入讀起來和訓練時不同。",
    ),
    "max_window_layers": (
        "設定檔只給一個層數時，哪些層有視窗：從這個編號開始的層。use_sliding_window 關閉時沒有意義。",
        "不會報錯；有視窗的層是錯的。",
    ),
    "sliding_window_pattern": (
        "完整注意力的層每隔多少層出現一次。",
        "如果所有層的張量都一樣就不會報錯；有視窗的層是錯的。",
    ),
    "attn_layer_period": (
        "其他層都是固定大小狀態的堆疊裡，哪些層有注意力：從某個編號起，每隔這麼多層一個。"
        "只要少數幾層就足以精確找回很遠的 token，也只有這些層需要快取。",
        "在張量不同的層裡建立注意力，載入會失敗。",
    ),
    "attention_chunk_size": (
        "分塊注意力的層把序列切成這個長度的段落，token 只看得到自己的那一段。",
        "不會報錯；token 看到的鄰居和訓練時不同。",
    ),
    "per_layer_config": (
        "個別層與其他層不同的設定，依層的編號列出。",
        "那些層的張量對不上，或注意力的方式和訓練時不同。",
    ),
    "layer_types": (
        "逐層列出每一層用什麼混合 token：完整注意力、視窗、線性注意力、狀態空間、卷積。",
        "種類不同而張量也不同時，載入會失敗；張量相同時（完整注意力和視窗）不會報錯，但長的輸入會變差。",
    ),
    "cross_attention_layers": (
        "哪些層會讀取另一個堆疊（圖片、編碼器）。",
        "交叉注意力會建立在錯的層裡。",
    ),
    # --- positions ---
    "rope_theta": (
        "RoPE（旋轉位置編碼）的 base (θ)。每個 query 和 key 的數字兩兩一對旋轉，角度隨位置增加：第 j 對（j = 0、1、"
        "2…）每經過一個 token 就轉 θ^(-2j/d) 弧度，d 是一個頭裡套用 RoPE 的寬度。所以各對有快有慢，就像時鐘的指針。"
        "base 越大，慢的轉得越慢，能容納的上下文就越長。",
        "不會報錯，因為沒有張量記錄它。短的文字看起來可能沒問題；文字越長，結果越差。讀不到這個鍵的推論引擎多半會退"
        "回 10,000。",
    ),
    "rope_scaling": (
        "怎麼把 RoPE 拉長到超過預訓練的長度。linear 把每個位置除以同一個倍率；dynamic 隨輸入變長而提高 θ；"
        "yarn 和 llama3 只除慢的對，快的不動；longrope 的每一對各有倍率。default（或 null）就是不拉長。"
        "在視窗層與完整注意力層並用的模型裡，它多半只用在完整注意力的層。",
        "不會報錯。漏掉的話，模型超過原本的長度就會崩壞（llama3 則是任何長度都錯）；訓練時沒有用卻套用了，"
        "從第一個 token 就錯。",
    ),
    "rope_type": (
        "用哪一條規則拉長 RoPE：default、linear、dynamic、yarn、llama3、longrope（舊名 su），以及三個軸用的 mrope。",
        "其他的鍵剛好夠用時就不會報錯；位置是錯的。",
    ),
    "rope_scaling.factor": (
        "上下文要拉長幾倍。",
        "不會報錯；部分或全部文字的位置是錯的。",
    ),
    "original_max_position_embeddings": (
        "RoPE 拉長之前，預訓練的上下文長度。scaling 的規則靠它判斷哪些對是快的（在這個長度內已轉過很多圈），"
        "哪些是慢的。",
        "不會報錯；拉長的是錯的對。",
    ),
    "beta_fast": (
        "yarn 的分界，以原本上下文長度內轉的圈數計：轉得比 beta_fast 多的對不動，比 beta_slow 少的完全拉長，"
        "中間的部分拉長。"
        "預設值是 32 和 1；truncate 會把分界取整到整數對。",
        "不會報錯；有些對拉長的程度是錯的。",
    ),
    "low_freq_factor": (
        "llama3 的分界：波長短於 original / high_freq_factor 的不動，長於 original / low_freq_factor 的除以倍率，"
        "中間的部分調整。",
        "不會報錯；有些對拉長的程度是錯的。",
    ),
    "short_factor": (
        "longrope 的除數，RoPE 的每一對一個，由搜尋得來：一組給原本上下文長度以內的輸入，另一組給更長的輸入。",
        "長度不對的清單會出錯；數字不對則不會。",
    ),
    "mscale": (
        "yarn 對注意力集中程度的修正，0.1 · mscale · ln(factor) + 1：上下文拉長後，注意力本來會變得分散。",
        "不會報錯；注意力會太分散或太集中。",
    ),
    "partial_rotary_factor": (
        "每個頭有多大的比例會套用 RoPE 旋轉；其餘的部分只帶內容、不帶位置。",
        "不會報錯，因為沒有張量由它決定。所有的距離都會是錯的。",
    ),
    "mrope_section": (
        "RoPE 的對怎麼分配給時間、高度、寬度，讓圖片和影片的 token 有三個位置。文字的三個位置都相等，就是一般的 RoPE。",
        "各段加起來必須等於對數；否則圖片的位置會錯，或直接出錯。",
    ),
    "rope_interleave": (
        "RoPE 的一對由哪些數字組成：相鄰的（0 和 1），或前後兩半的（0 和 d/2）。q 和 k 矩陣會配合它重新排列。",
        "不會報錯，因為形狀都一樣；轉檔工具弄錯了也不會有人發現。",
    ),
    "no_rope_layers": (
        "逐層列出有沒有 RoPE。名稱容易誤會：參考實作裡 1 是有 RoPE，0 是沒有；沒有的層只靠因果遮罩（causal mask）得知順序。"
        "no_rope_layer_interval 說每隔幾層有一層沒有。",
        "不會報錯；本來沒有位置的地方加上了位置，或該有的沒有。",
    ),
    "alibi": (
        "用注意力 logits 的懲罰來表示位置，距離越遠扣越多，每個頭有自己的斜率；不需要學習，也不需要儲存。",
        "不會報錯；模型用和訓練時不同的方式分辨順序，或完全分辨不出來。在 Falcon 裡永遠是二選一：ALiBi 或 RoPE。",
    ),
    "position_embedding_type": (
        "token 怎麼知道自己的位置：每個位置一個訓練得來的向量、一個固定的向量，或注意力內部的機制。",
        "會建立沒有張量可填的表，或儲存的表會被忽略。",
    ),
    "relative_attention_num_buckets": (
        "token 之間的距離分成幾類；每個頭對每一類各學一個數字（DeBERTa 則是每一類學一個向量，拿來和 query、key "
        "比較）。短的距離各自一類，長的距離共用。",
        "各類的表對不上。",
    ),
    "relative_attention_max_distance": (
        "最後一個類別最晚從這個距離開始：到此為止，類別依距離的對數變寬，更遠的全部共用最後一個類別。",
        "不會報錯；距離會分到和訓練時不同的類別。",
    ),
    # --- latents ---
    "kv_lora_rank": (
        "潛在向量（latent）的寬度，所有頭的 key 和 value 都由它算出。快取只需要這個潛在向量和一段所有頭共用的 key，"
        "而不是每個頭的 key 和 value。",
        _NO_FIT,
    ),
    "q_lora_rank": (
        "計算 query 的潛在向量的寬度：用兩個細長的矩陣取代一個。null 就是一個完整的矩陣。它節省參數和 activation，"
        "不節省快取。",
        "張量的名稱和形狀都不同，載入會失敗。",
    ),
    "qk_nope_head_dim": (
        "每個頭的 query 和 key 裡不帶位置的部分；key 的這部分來自潛在向量。",
        _NO_FIT,
    ),
    "qk_rope_head_dim": (
        "每個頭的 query 和 key 裡套用 RoPE 的部分。它的 key 在潛在向量之外另外計算，所有頭共用一份，"
        "因為旋轉過的 key 無法併進潛在向量的矩陣。",
        _NO_FIT,
    ),
    "qk_rope_head_dim.still": (
        "每個頭的 query 和 key 之中，別的潛在注意力會依位置旋轉的部分。這個模型什麼都不轉：它是另一個沒有位置的部"
        "分，key 在潛在向量之外另外計算，所有頭共用一份。",
        "張量對不上，載入會失敗。",
    ),
    "v_head_dim": (
        "一個頭的 value 的寬度，不一定要和 key 相同。",
        _NO_FIT,
    ),
    "qk_head_dim": (
        "一個頭的 query 和 key 的寬度：不帶位置的部分加上 RoPE 的部分。",
        "它由那兩者推算而得；如果不一致，讀它的程式碼會把 logits 縮放錯。",
    ),
    "o_lora_rank": (
        "輸出投影改用兩個細長的矩陣（依頭分組）取代一個。",
        _NO_FIT,
    ),
}
