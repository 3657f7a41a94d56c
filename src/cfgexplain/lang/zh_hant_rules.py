"""Traditional Chinese: the manual page of each check."""

from typing import Final

from cfgexplain.lang import zh_hant_drift
from cfgexplain.lang.en_rules import AINSLIE, BA, FORMAT, FRANTAR, PRESS, SHAZEER, XIONG, ZHANG


def _page(says: str, why: str, example: str, references: str = "") -> dict[str, str]:
    return {"says": says, "why": why, "example": example, "references": references}


RULES: Final[dict[str, dict[str, str]]] = {
    "missing-final-norm": _page(
        "依架構，最後一層之後有 norm，但 checkpoint 裡沒有它的張量。",
        "在 pre-norm 模型裡，殘差流會一層一層變大；最後的 norm 把它拉回 LM head 訓練時的尺度。少了它的 gain，"
        "logits 就會是錯的，程式卻不會報錯。架構本來就沒有這個 norm，或這個 norm 不帶參數時，不會回報。",
        "合併模型的腳本複製了 model.layers.* 和 lm_head，卻忘了 model.norm.weight。", XIONG,
    ),
    "missing-layer-norm": _page(
        "某一層缺少架構應有的 norm。",
        "transformers 載入模型時會把增益填成 1，所以那一層會以不同的尺度運作。",
        "合併兩個 checkpoint 時弄丟了 model.layers.7.input_layernorm.weight。", ZHANG,
    ),
    "norm-type-mismatch": _page(
        "該用 RMSNorm 還是 LayerNorm，設定檔和張量不一致。",
        "LayerNorm 會減去平均值並加上 bias，RMSNorm 兩者都不做。執行時用錯了種類，形狀完全相同，算出來的結果卻不同。",
        "model_type 寫 gpt2，卻沒有任何 norm 帶 bias。", f"{BA}; {ZHANG}",
    ),
    "unexpected-bias": _page(
        "架構和設定檔的開關都不允許的 bias 張量。",
        "載入模型時會略過它，頂多在記錄檔留下一行。如果模型是帶著它訓練的，輸出會變差；如果只是匯出工具寫的零，那只是浪費空間。"
        "帶 bias 的 RMSNorm 也在這裡回報。",
        "一個 Llama 有 model.layers.{0-31}.mlp.up_proj.bias，mlp_bias 卻是 false。",
    ),
    "missing-bias": _page(
        "缺少架構或設定檔的開關所要求的 bias。",
        "transformers 會用零或隨機值填補。Qwen2 少了 q、k、v 的 bias 仍然載得進來，但算的和訓練時不同。",
        "一個 Qwen2.5 存檔時沒有任何 self_attn.*.bias。",
    ),
    "eps-missing": _page(
        "設定檔沒有架構家族會讀的 ε 鍵；此時用的是 transformers 的預設值，並會指出是多少。",
        "每個推論引擎都有自己的預設值。用 1e-05 訓練、以 1e-06 上線的模型不會當掉。"
        "把 ε 寫死在程式碼裡的架構家族沒有這種鍵，不會回報。",
        "Llama 的設定檔裡沒有 rms_norm_eps：transformers 會用 1e-06。", ZHANG,
    ),
    "eps-invalid": _page(
        "ε 不是有限的正數。",
        "ε 讓均方的平方根遠離零。零或負數在遇到第一個全零向量時就會產生無限大或 NaN，函式庫也可能直接拒絕載入設定檔。",
        '"rms_norm_eps": 0（應為正數）',
    ),
    "eps-unusual": _page(
        "ε 超出 1e-13 … 1e-3。",
        "已發表的模型介於 1e-12（BERT）和 1e-3 之間。超出範圍的值幾乎都是指數打錯了。",
        '"rms_norm_eps": 1e5（少了負號）',
    ),
    "eps-conflict": _page(
        "同一個架構家族的兩個 ε 鍵值不同。",
        "有的推論引擎讀第一個，有的讀第二個，而且都跑得動。",
        '"layer_norm_epsilon": 1e-05 和 "rms_norm_eps": 1e-06 並存，而架構家族兩個都接受。',
    ),
    "eps-underflow": _page(
        "ε 在 checkpoint 的 dtype 裡會捨入成零。",
        "float16 大於零的最小數是 6e-08。以 float32 計算 norm 就沒有影響；以 float16 取用 ε 的 kernel 會除以零。",
        '"rms_norm_eps": 1e-08，權重是 float16。',
    ),
    "intermediate-size-mismatch": _page(
        "intermediate_size 和前饋網路的矩陣不一致。",
        "載入會失敗；寬鬆的載入程式會換成隨機的矩陣。檔案裡的寬度才是真正的寬度。",
        "為了配合量化工具，設定檔從 29568 改成 29440，張量卻沒有跟著改。", SHAZEER,
    ),
    "intermediate-size-convention": _page(
        "沒有張量可供對照時，寬度看起來像別的工具的慣例：兩倍、三倍或三分之二。",
        "Qwen 1 把 gate 和 up 合起來算，有些訓練程式會把 2/3 乘兩次。照字面讀這個數字的函式庫，建出來的是另一個模型。",
        '隱藏維度 4096 的 Llama 寫了 "intermediate_size": 22016。', SHAZEER,
    ),
    "intermediate-size-alignment": _page(
        "寬度不是 GPU kernel 與張量平行（tensor parallelism）偏好的倍數。",
        "矩陣運算單元以 tile 為單位；寬度不是 64 的倍數，就會有一部分閒置，也無法平均切分。"
        "加上 --tensor-parallel N 時，"
        "如果 N 個 rank 分到的寬度不是整數，或不是完整的量化 group，就是錯誤：推論引擎不會接受。",
        '"intermediate_size": 10923（不是 64 的倍數）',
    ),
    "incomplete-ffn": _page(
        "某一層的前饋網路只有一部分矩陣，缺了其他的。",
        "transformers 會用隨機值填補缺少的矩陣，那一層就會往殘差流裡加雜訊。",
        "gate_proj 和 down_proj 都在，卻沒有 model.layers.5.mlp.up_proj.weight。", SHAZEER,
    ),
    "layer-count-mismatch": _page(
        "設定檔的層數和檔案裡的層數不一致。",
        "多出來的層會被丟掉，不足的層會填成隨機值。設定檔宣告用於 multi-token prediction 的層不算在內。",
        "堆疊合併出來的模型有 48 層，num_hidden_layers 卻還是 32。",
    ),
    "missing-tensor": _page(
        "缺少架構需要的張量。",
        "transformers 會用隨機值填補，並在沒有人看的 log 裡發出警告。",
        "任何一個 shard 裡都沒有 model.layers.3.self_attn.k_proj.weight。",
    ),
    "unexpected-tensor": _page(
        "架構裡沒有位置的張量。",
        "載入模型時會忽略它：可能只是無害的殘留，也可能表示 model_type 寫錯了。",
        "Llama 裡出現 model.layers.{0-31}.mlp.extra_proj.weight。",
    ),
    "shape-mismatch": _page(
        "張量的形狀與設定檔不相符。",
        "載入會失敗；如果載入程式比較寬鬆，張量會被換成隨機值。",
        "權重存成了轉置的樣子，是 [in, out] 而不是 [out, in]。",
    ),
    "vocab-size-mismatch": _page(
        "嵌入的列數和 vocab_size 不一致。",
        "只要多加一個 token 就會這樣。兩邊都補到同樣大小的詞彙表沒有問題，不會回報。",
        "vocab_size 是 32000，嵌入卻有 32001 列。",
    ),
    "head-mismatch": _page(
        "注意力頭或 KV 頭的數目無法整除，或與投影矩陣不符。",
        "query 是依這些數字切開的。就算大小剛好還對得上，模型算出來的也是另一種注意力。",
        "num_key_value_heads 是 4，k_proj 卻有 8 個頭。", AINSLIE,
    ),
    "tied-head-conflict": _page(
        "設定檔沒有讓 LM head 與嵌入共用權重，檔案裡沒有存 LM head，模型類別卻需要它。",
        "要生成文字就需要 LM head。嵌入模型可以沒有，所以這裡只是警告。",
        "tie_word_embeddings 是 false，任何一個 shard 裡卻都沒有 lm_head.weight。", PRESS,
    ),
    "tied-head-stored": _page(
        "設定檔讓 LM head 與嵌入共用權重，卻還是存了一個 LM head。",
        "如果與嵌入相同，只是浪費空間。如果不同，transformers 5 不會共用權重，而是使用存起來的 LM head；"
        "較舊的版本和照設定檔行事的引擎會忽略它：同一個 checkpoint，變成兩個不同的模型。兩者的值是否不同，光看檔頭無法得知。",
        "微調之後 model.embed_tokens.weight 和 lm_head.weight 都存了。", PRESS,
    ),
    "wrapped-names": _page(
        "所有名稱都帶有包裝（wrapper）的前綴。",
        "torch.compile 會留下 _orig_mod.，DDP 會留下 module.，PEFT 會留下 base_model.model.；"
        "沒有東西能用這樣的名稱載入。",
        "_orig_mod.model.embed_tokens.weight（前綴來自 torch.compile）",
    ),
    "dtype-mismatch": _page(
        "宣告的 dtype 和儲存的 dtype 不一致。",
        "依宣告的 dtype 估出來的大小會是錯的；這裡的大小來自檔頭。",
        "張量是 BF16，torch_dtype 卻寫 float16。",
    ),
    "index-missing-shard": _page(
        "索引列出的 shard 檔不存在。",
        "下載或上傳中斷了。那個 shard 裡有什麼無從得知；這件事只在這裡回報一次。",
        "缺少 model-00002-of-00002.safetensors。", FORMAT,
    ),
    "index-tensor-mismatch": _page(
        "有哪些張量，索引和各個 shard 的檔頭不一致。",
        "相信索引的載入程式會到錯的地方去找張量。",
        "索引列了 lm_head.weight，卻沒有任何 shard 有它。", FORMAT,
    ),
    "quantization-group-mismatch": _page(
        "分組的 scale 與權重不相符：group size 無法整除寬度，或 scale 與零點的形狀和權重、group 推得的不同。",
        "沿著矩陣輸入方向的每一組權重共用一個 scale。kernel 一次處理完整的一組；如果有一組被切斷，"
        "或 scale 是為別的 group "
        "算的，就會載入失敗，或輸出雜訊。FP8 的 block 則允許最後一塊不完整。",
        "group_size 128，intermediate_size 4928 = 38.5 組。", FRANTAR,
    ),
    "quantization-config-mismatch": _page(
        "量化設定和張量不一致：權重量化過，設定檔卻沒有宣告；有量化設定，權重卻沒有量化；或位元數不同。",
        "載入程式依設定檔決定要找哪些張量、怎麼解包。合併模型或反量化的副本，很容易留下舊的設定。",
        "quantization_config 寫 bits: 4，qweight 的形狀卻是 [in*8/32, out]。", FRANTAR,
    ),
    "index-total-parameters": _page(
        "索引裡的 total_parameters 和張量的實際數目相差很多。",
        "模型 hub 和規劃工具會顯示這個數字。把打包的 4 位元權重每個算成一個，或把位元組當成參數，"
        "都會讓它小好幾倍或大好幾倍。"
        "相差不到四分之一（共用的 LM head、buffer）不會回報。",
        "3140 億參數的 8 位元模型寫成 total_parameters 88,577,906,818：那是 U32 的元素數，不是權重數。", FORMAT,
    ),
    "index-total-size": _page(
        "索引的 total_size 不等於資料的總和。",
        "靠它規劃記憶體的工具會算錯；索引很可能已經過時。",
        "各個 shard 共 26953670656 位元組，total_size 卻是 13476835328。", FORMAT,
    ),
    "truncated-file": _page(
        "權重檔不完整，資料被截斷。",
        "複製中斷了。檔頭是完整的，所以張量仍然列得出來。",
        "檔頭說應該有 4,976,698,672 位元組，檔案只有 3,221,225,472。", FORMAT,
    ),
    "invalid-header": _page(
        "safetensors 檔頭違反了格式的某條規則，但張量仍然列得出來。",
        "safetensors 函式庫不接受這個檔案。完全讀不出來的檔頭則直接算是讀取失敗（結束代碼 3）。",
        "兩個張量的資料重疊。", FORMAT,
    ),
    "unknown-dtype": _page(
        "這個版本不認得的 dtype。",
        "元素數依形狀計算，位元組數依位移計算，所以兩者仍然正確。",
        "F7_NEW（虛構的新格式）", FORMAT,
    ),
    "unsafe-shard-path": _page(
        "索引提到模型資料夾以外的路徑。",
        "這樣的路徑可能打開別人的檔案，或把 token 送到別的 repo。程式不會打開它。",
        "../../../etc/passwd（跳出了資料夾）", FORMAT,
    ),
    "weights-not-fetched": _page(
        "權重檔是 Git LFS 指標檔。",
        "clone 下來的是代表檔案的文字，不是檔案本身。設定檔仍會檢查。",
        "檔案內容是 version https://git-lfs.github.com/spec/v1",
    ),
    "unreferenced-weights": _page(
        "有權重檔沒有列在索引裡。",
        "它們不列入計算。通常是另一種切法或另一種 dtype 留下來的。",
        "model-00001-of-00002.safetensors 旁邊還有 model.safetensors。",
    ),
    "invalid-config": _page(
        "已知的鍵有不可能的值或型別，不論是單獨看還是和其他鍵一起看。",
        "transformers 不接受這份設定檔，或建出一個跑不起來的模型。",
        '"num_hidden_layers": -1，或 48 層的模型在 layer_types 裡只有 47 個項目。',
    ),
    "key-conflict": _page(
        "同一項設定的兩個名稱有不同的值。",
        "可能是某項設定改過名稱，而兩個名稱都留在檔案裡，或有人手動只改了其中一處。新舊程式各讀各的，而且都跑得動："
        "rope_theta 差了一個倍數不會當掉，只是長的上下文會壞掉。",
        '"rope_theta": 10000.0 和 "rope_parameters": {"rope_theta": 500000.0} 並存，'
        '或 torch_dtype 和另一個 dtype 並存。',
        "transformers 5 讀 rope_parameters，之前的版本讀 rope_theta 和 rope_scaling",
    ),
    "unexpected-value": _page(
        "設定檔的某個鍵和 cfgexplain 設定裡預期的值不同。",
        "有些數字無法用權重核對：ε、RoPE 的 base (θ)、激勵函數。團隊如果知道正確的值，"
        "可以寫在 cfgexplain.toml 或 pyproject.toml "
        "的 `expect` 底下，重新上傳時如果值變了就會被發現。",
        "expect = {rms_norm_eps = 1e-5}，設定檔卻是 1e-06。",
    ),
    "numeric-string": _page(
        "結構性的數字寫成了字串。",
        "transformers 不接受。YAML 1.1 會把 1e-05 讀成字串，因為它沒有小數點。",
        '"rms_norm_eps": "1e-05"（多了引號）',
    ),
    "non-finite-number": _page(
        "JSON 裡有 NaN 或 Infinity。",
        "兩者都不是合法的 JSON，許多程式會因此拒讀整個檔案。",
        '"attention_dropout": NaN（不是合法的 JSON）',
    ),
    "duplicate-key": _page(
        "同一個鍵出現兩次。",
        "JSON 程式讀的是最後一個，人看到的是第一個。",
        '"hidden_size" 出現在兩行。',
    ),
    "unknown-family": _page(
        "沒有這個 model_type 的對照表。",
        "所有說明只根據張量的名稱與形狀；從中看不出來的就是 null。",
        '"model_type": "my_new_model"（沒有對照表）',
    ),
    **zh_hant_drift.RULES,
}
