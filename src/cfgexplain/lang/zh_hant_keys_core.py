"""Traditional Chinese: what each config key does, and what happens if it is wrong. See ``en_keys_core``."""

from typing import Final

_TRUE_FALSE: Final = "誤設為 true，transformers 會建立沒有張量可填的 bias；誤設為 false，儲存的 bias 會被忽略"
_NOT_INFERENCE: Final = "推論時沒有影響，因為 dropout 是關閉的"

KEYS: Final[dict[str, tuple[str, str]]] = {
    # --- sizes ---
    "hidden_size": (
        "殘差流的寬度：從嵌入到最後的 norm，每個 token 都是由這麼多個數字組成的向量，每個子層都從它讀取、再加回去。",
        "幾乎每個張量都有一個軸是這個大小，所以一載入就會失敗。",
    ),
    "num_hidden_layers": (
        "一個接一個的區塊（層）總共有幾個。時間和它成正比；各層的參數量也是，除非各層共用同一組。",
        "設得太小，函式庫會丟掉超出的層，而且多半不報錯；設得太大，缺少的層會填成隨機值。",
    ),
    "vocab_size": (
        "嵌入有幾列（每個 token id 一列），也就是輸出幾個 logits。它可以比 tokenizer 用到的多：為了配合 kernel，"
        "會補到整齊的列數。",
        "載入會失敗，或嵌入被截斷；id 大於或等於它就是索引超出範圍。",
    ),
    "type_vocab_size": (
        "有幾種段落編號（句子 A、句子 B）；每一種為它的 token 加上一個學來的向量。按部分統計參數時，這張表算在位"
        "置嵌入裡。",
        "載入片段向量的表時會失敗。",
    ),
    "max_position_embeddings": (
        "模型設計時的最長序列。使用可學習的位置嵌入時，它決定那張表有多少列；使用 RoPE 時，沒有張量由它決定，它表"
        "示訓練到多長（或 scaling 能延伸到多長）。",
        "使用可學習的位置嵌入時，更長的輸入會出錯。使用 RoPE 時沒有東西會擋：超過訓練長度後品質下降，而推論引擎會"
        "照它說的長度預留快取。",
    ),
    "max_position_embeddings.free": (
        "模型設計時所考慮的最長序列。沒有張量由它決定，層裡也沒有東西在數位置：順序來自遞迴的層，或來自因果遮罩。",
        "更長的輸入不會被擋下；超過訓練時的長度，品質可能變差，引擎也會依它保留快取。",
    ),
    "tie_word_embeddings": (
        "LM head 是把 token 嵌入再用一次，還是獨立的矩陣。共用可以省下詞彙表 × 隱藏維度的參數：對小模型是很大一部分，"
        "對大模型幾乎可以忽略；代價是同一個矩陣既要表達 token 的意思，又要用來預測 token。",
        "誤設為 true，而存起來的 LM head 與嵌入不同：transformers 5 仍會使用存起來的 LM head，較舊的版本和照設定檔行事的"
        "引擎則改用嵌入，輸出胡言亂語。誤設為 false，又沒有存 LM head：LM head 會是隨機值。",
    ),
    "embedding_size": (
        "多數架構家族裡是嵌入的寬度，用在它和隱藏維度不同時：由一個投影把一邊轉成另一邊。在 OLMo 和 Molmo "
        "自己的格式裡，它是嵌入的列數，比 vocab_size 多補了一些。",
        "載入嵌入時會失敗。",
    ),
    "word_embed_proj_dim": (
        "嵌入的寬度（output_embedding_size 則是 LM head 所讀的寬度），和隱藏維度不同時使用：由一個投影互相轉換。",
        "載入嵌入或 LM head 時會失敗。",
    ),
    "initializer_range": (
        "訓練之前，權重初始亂數的標準差（有些架構家族是一個倍率）。新加的層，例如接在上面的分類器，仍然這樣開始。",
        "對訓練好的 checkpoint 沒有影響，因為張量會取代那些亂數。",
    ),
    "hidden_dropout": (
        "訓練時隨機歸零的 activation 比例，讓模型不依賴其中任何一個；其餘的會放大來補償。",
        f"{_NOT_INFERENCE}；微調時的正則化（regularization）會比預期的強或弱。",
    ),
    "attention_dropout": (
        "訓練時隨機歸零的注意力權重比例。",
        f"{_NOT_INFERENCE}。有些快速的注意力 kernel 不接受 0 以外的值。",
    ),
    "layerdrop": (
        "訓練時跳過整層的機率。",
        "推論時沒有影響。",
    ),
    # --- feed-forward block ---
    "intermediate_size": (
        "前饋網路內部的寬度，介於變寬和變窄之間。有閘（gated）的前饋網路裡，gate 和 up 都是這個寬度。"
        "dense 模型大部分的參數都在這裡。"
        "有些 MoE 用同一個鍵表示每個專家的寬度。",
        "前饋網路的張量對不上，載入失敗。別的工具的慣例（gate 和 up 合起來算，或三分之二乘了兩次）"
        "會得到看起來很合理的數字。",
    ),
    "mlp_ratio": (
        "前饋網路的寬度是所在堆疊隱藏維度的幾倍。",
        "前饋網路的張量對不上，載入會失敗。",
    ),
    "multiple_of": (
        "前饋網路的寬度要進位到多少的倍數，好讓矩陣能平均切給 kernel 的 tile 和各個 rank。",
        "算出來的寬度不同，前饋網路的張量對不上。",
    ),
    "ffn_dim_multiplier": (
        "前饋網路寬度的倍率，在乘三分之二之後、進位之前套用。",
        "算出來的寬度不同，前饋網路的張量對不上。",
    ),
    "hidden_act": (
        "前饋網路裡的非線性函數（激勵函數）：有 gate 就套在 gate 上，沒有就套在 up 的結果上。"
        "silu 加上 gate 就是 SwiGLU，"
        "gelu 加上 gate 就是 GeGLU。",
        "不會報錯，因為它沒有張量。精確的 GELU 和 tanh 近似相差不到 0.001，常常被搞混；"
        "把 GELU 換成 SiLU 就真的會變差。",
    ),
    "hidden_act.fixed": (
        "原意是前饋網路內部非線性函數的名稱。這裡沒有東西會讀它：函數寫在程式碼裡，有自己的常數，如公式所示。",
        "沒有影響。",
    ),
    "hidden_act.xielu": (
        "前饋網路內部的非線性函數；這裡的函數每一層有兩個訓練得來的數字：alpha_p 管零以上，alpha_n 管零以下。它作用"
        "在往上投影的結果上。",
        "換成別的函數，每一層存下來的這兩個數字就會被忽略，輸出也會是錯的。",
    ),
    "is_gated_act": (
        "前饋網路有沒有 gate：也就是第三個矩陣，它的結果經過激勵函數後，與第二個矩陣的結果相乘。",
        "第三個矩陣會是隨機值，或儲存的矩陣會被忽略。",
    ),
    "use_double_wide_mlp": (
        "與別層共用 key 和 value 的層，前饋網路的寬度是否加倍。",
        "那些層的前饋網路張量對不上。",
    ),
    "swiglu_limit": (
        "有截斷的 gate 所用的常數：gate 和 up 相乘之前，數值會截斷在這個上限；alpha 是 sigmoid 裡面的倍率。",
        "不會報錯，因為它們沒有張量；activation 很大的地方輸出會不同。",
    ),
    "mlp_bias": (
        "前饋網路的矩陣有沒有 bias 向量。",
        f"{_TRUE_FALSE}。",
    ),
    "attention_bias": (
        "注意力的投影有沒有 bias 向量。涵蓋 q、k、v、o 之中的哪些，各架構家族不同。",
        f"{_TRUE_FALSE}：如果模型是帶著它們訓練的，輸出就是錯的，而且不會報錯。",
    ),
    "use_bias": (
        "名稱裡指到的那些層的 bias 開關；名稱裡沒有指明，就是整個架構家族的。no_bias 為 true 是關掉。",
        "會建立沒有張量可填的 bias，或儲存的 bias 會被忽略。",
    ),
    # --- norms ---
    "rms_norm_eps": (
        "ε，一個很小的數，norm 在根號裡把它加到均方值（LayerNorm 是變異數）上，"
        "避免全零的向量除以零。"
        "它有好幾種鍵名；有些鍵名裡寫的是「layer_norm」，實際上卻是 RMSNorm。",
        "不會報錯，因為沒有張量記錄它。輸出會漸漸偏離，activation 越小的地方越明顯。",
    ),
    "norm_type": (
        "各區塊使用哪一種 norm：LayerNorm 減去平均值再除以標準差，RMSNorm 只除以均方根。MobileBERT 的 no_norm "
        "兩者都不做，只有增益和 bias。",
        "如果另一種的張量剛好一樣，就不會報錯，但每個 activation 都是偏的。",
    ),
    "use_qk_norm.plain": (
        "在有 RoPE 的層裡，query 和 key 旋轉之後，是否逐頭除以自己的均方根。沒有增益，也沒有張量會顯示出來。",
        "不會報錯；注意力比訓練時更尖銳或更平坦。",
    ),
    "tie_word_embeddings.scale": (
        "在 transformers 5 裡，這個鍵決定解碼器的輸出在進 LM head 之前要不要乘以 1/√d_model：false（T5 1.1 就是）"
        "就不乘。權重共用本身不管它怎麼寫，一律設為 true；較舊的版本在它是 false 時會建立獨立的 LM head。",
        "不會報錯；所有 logits 都會大了或小了 √d_model 倍。",
    ),
    "tie_word_embeddings.set": (
        "在 transformers 5 裡，這個鍵不決定任何事：不管它怎麼寫，權重共用一律設為 true。較舊的版本在它是 false 時會建立"
        "獨立的 LM head。",
        "在 transformers 5 裡沒有影響。在別處，誤設為 false 又沒有存 LM head，LM head 會是隨機值；誤設為 true，"
        "存起來又不同的 LM head 會被嵌入取代。",
    ),
    "num_hidden_groups": (
        "各層共用幾組權重（num_hidden_groups；1 是所有層用同一組），以及一組由幾層組成（inner_group_num）。",
        "會建立沒有張量可填的組，或忽略存好的組。",
    ),
    "activation_sparsity_pattern": (
        "每一層在激勵函數之前把多少比例的 gate 設為零：低於門檻的全部歸零，其餘減去門檻；門檻由平均值與標準差算出，"
        "把它們當作常態分布。0 的層不動 gate。",
        "不會報錯；前饋網路用的 gate 比訓練時多或少。",
    ),
    "use_qk_norm": (
        "query 和 key 相乘之前是否先正規化，可能是每個頭各自做，也可能全部一起做。這樣注意力的 logits 就不會無限變大，"
        "而研究發現那會讓大模型的訓練發散；代價是每層多兩個小小的增益。",
        "誤設為 true，會建立沒有張量可填的增益；誤設為 false，儲存的增益會被忽略，注意力的分布就是錯的。",
    ),
    "do_layer_norm_before": (
        "決定 norm 位置的開關：每個子層之前、每次相加之後、輸出上，或不只一處。不同架構家族用這類鍵指不同的位置，"
        "true 的意思也可能相反。",
        "張量相同時不會報錯，但輸出是胡言亂語；norm 隨它增減時，會重新產生一個，或忽略存好的那個。",
    ),
    "_remove_final_layer_norm": (
        "省略最後一層之後的 norm，給在它出現之前儲存的 checkpoint 用。",
        "儲存的 norm 會被忽略，或會建立沒有儲存的 norm：logits 就是錯的。",
    ),
    "use_parallel_residual": (
        "注意力和前饋網路是否並列讀取同一個輸入、一起加回去，而不是一個接一個。",
        "兩種形式的張量相同時不會報錯，但輸出是胡言亂語。其中一種多一個 norm 時，那個 norm 會重新產生，或存好的被忽略。",
    ),
    "layer_norm_elementwise_affine": (
        "norm 有沒有自己的增益和 bias，還是只做正規化。",
        "會建立沒有張量可填的增益，或儲存的增益會被忽略。",
    ),
    "residual_in_fp32": (
        "各層以較少的位元計算時，殘差流是否仍保持 float32。",
        "會有微小的捨入誤差，隨深度累積。",
    ),
    "rescale_prenorm_residual": (
        "初始化時，寫入殘差流的權重是否像 GPT-2 那樣除以層數的平方根，讓全部加起來的大小固定。",
        "對訓練好的 checkpoint 沒有影響。",
    ),
    # --- storage ---
    "torch_dtype": (
        "權重儲存時的數值格式，函式庫也可能依它載入。每個張量真正的格式以檔頭為準。",
        "照它做的函式庫會在載入時轉換：float32 要兩倍的記憶體；用 float16 取代 bfloat16，超過 65,504 就可能溢位。",
    ),
    "quantization_config": (
        "權重怎麼打包成較少的位元：方法、位元數、哪些模組、哪些 scale。",
        "打包的數字解錯，或根本沒有解開；載入失敗，或輸出是雜訊。",
    ),
    "quant_method": (
        "量化的方法，也決定了打包後張量的名稱和排列方式（layout）。",
        "載入程式會去找不存在的張量。",
    ),
    "bits": (
        "每個量化後的數字占幾個位元。scale 和零點另外計算。",
        "打包的整數會從錯的地方切開，形狀對不上，或輸出是雜訊。",
    ),
    "group_size": (
        "沿著矩陣的輸入方向（或在一個 block 裡），多少個相鄰的權重共用一個 scale。-1 是整列。group 越小越精確，"
        "占的位元也越多。",
        "scale 和權重對不上。group 無法整除的寬度不能平均切開。",
    ),
    "weight_block_size": (
        "權重以這麼多列乘這麼多欄的區塊量化，每個區塊有一個 scale，存在旁邊。",
        "scale 和權重不相符：載入失敗，或輸出變成雜訊。",
    ),
    "modules_to_not_convert": (
        "不量化的模組，多半是 LM head、norm 和 router。",
        "一般的張量被當成打包的來讀，或反過來，載入會失敗。",
    ),
    "kv_cache_scheme": (
        "模型執行時，key 和 value 的快取怎麼量化；和權重無關。",
        "快取占用的記憶體比預期多，或精確度比預期差。",
    ),
    "activation_scheme": (
        "模型執行時，量化矩陣的輸入怎麼量化：dynamic 由每個輸入自己算 scale，static 用存好的。和快取無關。",
        "設為 static 卻沒有存 scale，會失敗或用到隨便的值；用 dynamic 取代 static 會稍慢，捨入也不同。",
    ),
    # --- names ---
    "model_type": (
        "架構的名稱：函式庫依它選擇程式碼，設定檔沒寫的預設值也由它決定。",
        "由別的架構的程式碼處理這些張量，名稱會對不上，或對得上但意義不同。",
    ),
    "architectures": (
        "儲存這個 checkpoint 的類別：也就是它接哪一種輸出層。",
        "依它行事的載入程式會建立別種輸出層，並用隨機值填補缺少的部分。",
    ),
    "auto_map": (
        "repo 裡的程式碼；使用者信任時，函式庫會執行它，而不是自己的程式碼。cfgexplain 從不執行它。",
        "沒有這份程式碼，transformers 不認得的架構就無法載入。",
    ),
    "transformers_version": (
        "寫出這份設定檔的 transformers 版本。預設值和鍵名在各版本之間有改過。",
        "它本身沒有影響。",
    ),
    "_name_or_path": (
        "儲存之前，模型是從哪裡載入的。只是殘留的資訊。",
        "沒有影響。",
    ),
    "tokenizer_class": (
        "模型搭配哪一個 tokenizer 類別，用在 tokenizer 自己的檔案沒有寫明時。",
        "文字會切成和訓練時不同的 token，輸出會變差。",
    ),
    "text_config": (
        "大模型裡的語言模型的設定。",
        "語言模型的大小由裡面的鍵決定；外面同名的鍵多半不會拿來用。",
    ),
    # --- how the program runs ---
    "use_cache": (
        "生成時是否保留先前 token 的 key 和 value，而不是每產生一個新 token 就重算一次。",
        "關閉時，生成的時間至少隨長度的平方增加；輸出相同。",
    ),
    "pretraining_tp": (
        "預訓練時矩陣分給幾個 rank。大於 1 的值曾經會讓 transformers 分段計算，以重現訓練時的捨入。",
        "除了捨入以外沒有影響。",
    ),
    "output_attentions": (
        "模型除了結果，是否還回傳注意力權重、hidden states，或改用 tuple。",
        "占用更多記憶體；要求回傳注意力權重時，會用比較慢的注意力 kernel。",
    ),
    "num_logits_to_keep": (
        "為最後幾個位置計算 logits：生成只需要最後一個。",
        "影響時間和記憶體，不影響結果；訓練和評分則需要所有的位置。",
    ),
    "chunk_size_feed_forward": (
        "沿著序列把計算切成每段這麼多個 token，以節省記憶體。0 是不切。",
        "影響記憶體和時間，不影響結果。",
    ),
    "gradient_checkpointing": (
        "訓練時是否重算 activation，而不是保留下來。",
        "影響訓練的記憶體和時間，不影響結果。",
    ),
    "_attn_implementation": (
        "使用哪一個注意力 kernel。",
        "影響速度、記憶體和捨入；有些 kernel 不支援視窗、soft cap 或其他功能。",
    ),
    "temperature": (
        "舊的 checkpoint 放在模型設定檔裡的文字生成設定。現在已經移到 generation_config.json。",
        "生成時的設定和預期的不同；模型本身不變。",
    ),
    "task_specific_params": (
        "特定任務的生成設定，只有 pipeline 會讀。",
        "在那些 pipeline 以外沒有影響。",
    ),
    "bos_token_id": (
        "序列開頭的 token，或解碼器起始用的 token。",
        "模型看到訓練時從沒見過的開頭；最前面的幾個 token 受影響最大。",
    ),
    "eos_token_id": (
        "結束序列的 token（或一串 token）：生成到這裡停止。",
        "生成停不下來，或太早停。對話模型的回合結束 token 常常和基底模型的不同。",
    ),
    "pad_token_id": (
        "用來把同一批裡較短的序列補齊的 token。它會被遮罩掉；有些架構家族裡，它在嵌入中的那一列保持為零。",
        "位置會把補齊的部分也算進去，或真正的 token 被遮罩掉。超出詞彙表就是錯誤。",
    ),
    "mask_token_id": (
        "特殊 token 的 id：代表被遮罩的內容，或不認得的內容。",
        "會預測或替換錯的 token。",
    ),
    "image_token_id": (
        "文字裡替圖片、影片或聲音占位的 token：它們的嵌入會被編碼器的輸出取代。",
        "特徵放到錯的地方，或無處可放，可能報數目不符的錯誤，也可能得到沒看圖的回答。",
    ),
    "boi_token_index": (
        "文字裡放在圖片或聲音前後的 token。它們是一般的 token，有自己的嵌入；只有夾在中間的占位 token 會被取代。",
        "模型會看到訓練時從沒見過的開頭或結尾。",
    ),
    "num_labels": (
        "接在上面的分類器要分幾類，以及各類的名稱。",
        "會建立大小不同、內容隨機的輸出層。",
    ),
    "summary_type": (
        "接在上面的分類器怎麼把整個序列變成一個向量：取哪個 token、經過哪一層。",
        "分類器讀到的向量和訓練時不同；生成不會讀它。",
    ),
    "problem_type": ("分類器用哪一種 loss 訓練。", "訓練會出錯；推論不會讀它。"),
    "is_decoder": (
        "這個堆疊是否遮住未來的 token，以及是否有兩個堆疊。",
        "注意力遮罩會不同：解碼器看得到未來，或編碼器看不到後面的內容。",
    ),
    "add_cross_attention": (
        "每一層是否有第二個注意力來讀取另一個堆疊的輸出，以及它有多寬。",
        "會建立沒有張量可填的交叉注意力，或儲存的張量會被忽略。",
    ),
    "tie_encoder_decoder": (
        "編碼器和解碼器是否共用權重或嵌入。",
        "會建立沒有張量可填的矩陣，或儲存的矩陣會被忽略。",
    ),
}
