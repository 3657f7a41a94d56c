"""Traditional Chinese: keys of experts, mixers, towers and projectors. See ``en_keys_core`` for the conventions."""

from typing import Final

_NO_FIT: Final = "張量對不上，載入會失敗。"
_KERNEL: Final = "第一層的 kernel 對不上。"
_NOT_INFERENCE: Final = "推論時沒有影響。"
_EXPERTS: Final = "會建立帶專家卻沒有張量可填的層，或反過來。"
_WEIGHT: Final = "不會報錯，因為它沒有張量。每一層的專家分支分量會太重或太輕。"
_SPEED: Final = "影響速度和記憶體，不影響結果（捨入除外）。"

KEYS: Final[dict[str, tuple[str, str]]] = {
    # --- experts ---
    "num_experts": (
        "一層裡並列幾個前饋網路（專家）；router 會為每個 token 選出其中幾個。參數量隨全部專家增加，"
        "時間只隨選中的增加。",
        "router 的列數和專家的張量對不上，或缺少專家。",
    ),
    "num_experts_per_tok": (
        "一個 token 會經過幾個專家。它們的結果依 router 的分數加權後相加。",
        "不會報錯，因為沒有張量由它決定。較少會比較快，較多比較慢；模型是用這個數目訓練的。",
    ),
    "moe_intermediate_size": (
        "一個專家內部的寬度，用在它和 dense 層不同時。同樣的成本下，許多窄的專家比少數寬的專家能有更多組合。",
        "專家的張量對不上，載入會失敗。",
    ),
    "n_shared_experts": (
        "除了 router 選出的之外，每個 token 都會經過的專家有幾個：所有 token 都需要的東西，在那裡學一次就好。"
        "它們多半存成一個前饋網路，寬度是這麼多倍。",
        "共享的前饋網路對不上，或會被忽略。",
    ),
    "shared_expert_intermediate_size": (
        "在專家之外，每個 token 都會經過的那個前饋網路的寬度。",
        "共享的前饋網路對不上，載入會失敗。",
    ),
    "first_k_dense_replace": (
        "最前面幾層用一般的前饋網路取代專家。DeepSeekMoE 的報告說，原因是第一層的專家要比較久才會平均。",
        _EXPERTS,
    ),
    "moe_layer_freq": (
        "哪些層有專家：從某個編號起每隔幾層，或逐一列出。",
        _EXPERTS,
    ),
    "norm_topk_prob": (
        "選中的專家的分數是否要除以它們的總和，讓權重加起來等於一。",
        _WEIGHT,
    ),
    "scoring_func": (
        "router 的 logits 怎麼變成分數：softmax 讓專家互相競爭，sigmoid 讓每個專家各自評分。",
        "不會報錯，因為它沒有張量。選中的專家可能一樣，權重卻不同。",
    ),
    "topk_method": (
        "怎麼依分數選專家。每個專家有一個 bias 時（noaux_tc），bias 只影響選擇，不影響權重；訓練時會調整它，"
        "讓專家平均使用，不需要額外的 loss。",
        "不會報錯；會選到別的專家，或儲存的 bias 會被忽略。",
    ),
    "n_group": (
        "把專家分組，原意是叢集的每個節點放一組：token 先選 topk_group 組，再只從這些組裡選專家，"
        "這樣它只會送到少數幾個節點。",
        "不會報錯；會選到別的專家。專家數必須能被組數整除。",
    ),
    "routed_scaling_factor": (
        "router 選出的專家加總之後，在加回去之前乘上的常數。",
        _WEIGHT,
    ),
    "router_aux_loss_coef": (
        "額外 loss 的權重，用來促使 router 平均使用所有專家。放著不管時，router 會越來越偏好少數專家"
        "（Shazeer et al. 2017）；這種 loss 是一種對策，每個專家一個 bias 是另一種。",
        _NOT_INFERENCE,
    ),
    "router_z_loss_coef": (
        "額外 loss 的權重，用來讓 router 的 logits 保持很小，有利於低精度訓練。",
        _NOT_INFERENCE,
    ),
    "router_jitter_noise": (
        "訓練時在 router 的輸入乘上的隨機倍率，讓它嘗試別的專家。在 PhiMoE，router_jitter_noise 是另一回事：專家的分數"
        "比最高分低多少以內才算數，訓練時和之後都用。",
        "推論時沒有影響；但在 PhiMoE，專家的分數會不同。",
    ),
    "output_router_logits": (
        "模型是否回傳 router 的 logits（給了標籤時，還會加上平衡用的 loss）。",
        "影響記憶體和回報的 loss，不影響預測。",
    ),
    "expert_capacity": (
        "一個專家在一批裡最多接受幾個 token；其餘的會跳過它。",
        "會丟掉 token，或都不丟，結果隨批次而變。",
    ),
    "moe_latent_size": (
        "token 在進入專家之前投影到的寬度，之後再投影回來：專家讀寫的量因此變少。",
        "專家的張量對不上。",
    ),
    "num_nextn_predict_layers": (
        "用來預測更後面 token 的額外層。它們對訓練有幫助，也可以為推測解碼（speculative decoding）打草稿；"
        "主模型不需要它們，transformers 多半會跳過它們的張量。",
        "額外層的張量會缺少，或會被忽略。",
    ),
    "ep_size": (
        "訓練時專家分給幾個 rank。",
        "只影響專家在哪裡計算。",
    ),
    # --- mixers ---
    "state_size": (
        "狀態空間層的每個通道記住幾個數字。不論文字多長，狀態的大小都固定：沒有越來越大的快取，"
        "也無法精確找回很遠的 token。",
        _NO_FIT,
    ),
    "mamba_expand": (
        "狀態空間層的內部寬度是隱藏維度的幾倍。",
        _NO_FIT,
    ),
    "conv_kernel": (
        "最近幾個 token 上的短卷積的長度。生成時要保留的內容，也包含這麼多個 token 的卷積輸入。",
        "卷積核的張量對不上，載入會失敗。",
    ),
    "conv_kernel.strided": (
        "把聲音轉成向量的各個卷積核的長度，一個接一個，各有自己的步幅：它們合起來決定一個向量代表多少聲音。",
        "卷積核的張量對不上，載入會失敗。",
    ),
    "conv_kernel.centred": (
        "對每個 token 和它兩側鄰居做的卷積的長度。",
        "卷積核的張量對不上，載入會失敗。",
    ),
    "time_step_rank": (
        "狀態空間層計算步長時經過的寬度，步長決定每個通道忘得多快。「auto」是隱藏維度除以 16，無條件進位。",
        _NO_FIT,
    ),
    "attention_hidden_size": (
        "代替注意力的 time mixing 的寬度：包括它的 key、value、receptance，以及每個通道的衰減。沒有寫就是 "
        "hidden_size。",
        "張量對不上，載入失敗。",
    ),
    "mamba_n_heads": (
        "狀態空間層的內部寬度切成幾個頭；每個頭有自己的遺忘速率。",
        _NO_FIT,
    ),
    "mamba_d_head": (
        "狀態空間層一個頭的寬度。",
        _NO_FIT,
    ),
    "mamba_n_groups": (
        "頭分成幾組，各組共用寫入狀態和讀取狀態的向量，就像 grouped-query attention 共用 key 和 value。",
        _NO_FIT,
    ),
    "mamba_chunk_size": (
        "在狀態的兩步之間，一次用矩陣乘法計算幾個 token。",
        _SPEED,
    ),
    "mamba_conv_bias": (
        "狀態空間層的卷積或投影有沒有 bias。",
        "會建立沒有張量可填的 bias，或儲存的 bias 會被忽略。",
    ),
    "time_step_limit": (
        "狀態空間層步長的下限和上限。超出範圍的會被截斷，不只訓練時，執行模型時也一樣。",
        "不會報錯：沒有張量記著它。訓練時沒有被截斷的步長會被截斷，或反過來。",
    ),
    "time_step_min": (
        "訓練之前怎麼抽出狀態空間層的步長：範圍、下限、倍率。有些架構家族（Zamba2、Nemotron-H）執行模型時，"
        "time_step_min 也是步長的下限。",
        "對訓練好的 checkpoint 沒有影響，除非那個架構家族也把它當作下限。",
    ),
    "use_mamba_kernels": (
        "用哪一份程式碼計算遞迴。",
        _SPEED,
    ),
    "mamba_ssm_dtype": (
        "模型執行時，狀態的數值格式。",
        "位元太少時，誤差會隨文字變長而累積，因為每個狀態都由前一個算出。",
    ),
    "linear_num_value_heads": (
        "線性注意力層的頭數；key 的頭可以比 value 的少，此時由多個 value 頭共用。"
        "每個頭保留一個 key 寬度 × value 寬度的矩陣，"
        "取代越來越大的快取。",
        _NO_FIT,
    ),
    "linear_num_value_heads.channels": (
        "線性注意力層（Kimi Delta Attention）的頭數。每個頭存一個 key 寬 × value 寬的矩陣，取代會變大的快取，其中"
        "每個通道各有自己的遺忘速率。",
        "張量對不上，載入會失敗。",
    ),
    "linear_key_head_dim": (
        "線性注意力一個頭的 key 或 value 的寬度，也就是它用來記憶的矩陣的兩邊。",
        _NO_FIT,
    ),
    "linear_key_head_dim.channels": (
        "線性注意力層（Kimi Delta Attention）一個頭的 key 和 value 的寬度，也就是它用來記憶的矩陣的兩邊。",
        "張量對不上，載入會失敗。",
    ),
    "lru_width": (
        "有閘的線性遞迴的寬度，每個通道記住一個數字。",
        _NO_FIT,
    ),
    # --- towers ---
    "vision_config": (
        "語言模型旁邊的 tower（編碼器或解碼器）的設定：把圖片或聲音變成向量，或反過來讀取向量。",
        "tower 的大小由裡面的鍵決定；語言模型的大小在別處。",
    ),
    "patch_size": (
        "圖片切成的正方形（patch）邊長，單位是像素。每一塊成為 tower 的一個 token。",
        "第一層的 kernel 對不上，載入會失敗。",
    ),
    "image_size": (
        "tower 訓練時的圖片邊長，單位是像素。使用可學習的位置嵌入時，它決定位置有幾個。",
        "位置表對不上；會內插位置嵌入的 tower 可以接受別的大小。",
    ),
    "num_position_embeddings": (
        "tower 有幾個可學習的位置，是總數或一邊的數目。",
        "位置表對不上，載入會失敗。",
    ),
    "use_rel_pos": (
        "tower 的注意力是否為 patch 之間的每種距離學一個數字，以及哪些層看得到整張圖片。",
        "距離的表對不上，或有視窗的層是錯的。",
    ),
    "vision_use_head": (
        "tower 的最後是否有一層把整張圖片變成一個向量，以及它有多寬。語言模型讀的是各個 patch，不需要它。",
        "這一層會是隨機值，或儲存的會被忽略。",
    ),
    "deepstack_visual_indexes": (
        "另外從 tower 的哪些層取出特徵，加進語言模型的前幾層。",
        "會建立沒有張量可填的投影，或特徵來自錯的層。",
    ),
    "downsample_factor": (
        "幾個相鄰的特徵合併成一個，或負責合併的那一層有多寬。",
        "負責合併的張量對不上。",
    ),
    "num_channels": ("圖片的色彩通道數：三個，或一個。", _KERNEL),
    "temporal_patch_size": (
        "一個 patch 涵蓋幾個影格；靜態圖片會重複同樣的次數。",
        _KERNEL,
    ),
    "spatial_merge_size": (
        "幾個相鄰的 patch 先合併再交給語言模型：每張圖片的 token 數會除以它的平方（如果是比例，則除以其倒數的平方）。",
        "projector 的輸入對不上。",
    ),
    "vision_feature_layer": (
        "從 tower 的哪些層取出特徵（-2 是倒數第二層），以及是否包含 class token。",
        "寬度相同時不會報錯；特徵和訓練時不同。",
    ),
    "projector_hidden_act": (
        "tower 和語言模型之間的 projector 所用的激勵函數。",
        "不會報錯，因為它沒有張量。特徵會是偏的。",
    ),
    "projection_dim": (
        "projector 的一個寬度：從 tower 出來的特徵會投影到這個寬度，或它是 projector 內部的寬度。",
        "projector 的張量對不上。",
    ),
    "image_seq_length": (
        "一張圖片在文字裡占幾個 token。",
        "占位 token 的數目和特徵的數目不同，會出錯。",
    ),
    "num_mel_bins": (
        "聲音進入 tower 之前切成幾個頻帶。",
        _KERNEL,
    ),
    "hidden_size_per_layer_input": (
        "另一個小的嵌入，每一層都重新查一次。它在磁碟上很大，但可以不放在高速記憶體裡，"
        "因為每次只讀一個 token 的那幾列。",
        "這些表對不上。",
    ),
    "altup_num_inputs": (
        "殘差流的幾個副本，一層只計算其中一個，其餘的用預測的（AltUp）。",
        "張量對不上，載入會失敗。",
    ),
    "altup_active_idx": (
        "殘差流的幾個副本之中，一層實際計算的是哪一個（altup_active_idx），以及算出來的結果要不要乘上訓練得來的向量（"
        "altup_correct_scale）。",
        "不會出錯：沒有張量的形狀由它們決定。各層讀取和修正的是訓練時以外的流，輸出會是錯的。",
    ),
    "laurel_rank": (
        "每個注意力旁邊有一條由兩個矩陣構成的細路徑，這是它的 rank；結果也會加到殘差流（LAuReL）。",
        "張量對不上，載入會失敗。",
    ),
    "hc_mult": (
        "用好幾條殘差流取代一條，在每個子層前後以訓練得來的權重混合（hyper-connections）。",
        "混合用的權重對不上。",
    ),
    "hc_sinkhorn_iters": (
        "混合各條殘差流的矩陣的做法：輪流縮放它的列和欄，讓每一列、每一欄的和都趨近一（Sinkhorn），共做這麼多次；"
        "hc_eps 避免總和為零。",
        "不會出錯：它們沒有張量。各條流的混合方式會和訓練時稍有不同。",
    ),
}
