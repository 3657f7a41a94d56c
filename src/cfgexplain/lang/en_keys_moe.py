"""English: keys of experts, mixers, towers and projectors. See ``en_keys_core`` for the conventions."""

from typing import Final

KEYS: Final[dict[str, tuple[str, str]]] = {
    # --- experts ---
    "num_experts": (
        "How many feed-forward blocks stand side by side in a layer; a router picks a few for each token. Parameters "
        "grow with all of them, time only with those picked.",
        "The router's rows and the experts' tensors do not fit, or experts are missing.",
    ),
    "num_experts_per_tok": (
        "How many experts a token goes through. Their results are added, weighted by the router's scores.",
        "Nothing fails: no tensor depends on it. Fewer is faster, more slower; the model was trained with this "
        "number.",
    ),
    "moe_intermediate_size": (
        "The width inside one expert, where it differs from the dense layers'. Many narrow experts allow more "
        "combinations than few wide ones at the same cost.",
        "The experts' tensors do not fit, and loading fails.",
    ),
    "n_shared_experts": (
        "How many experts every token goes through beside those the router picks: what all tokens need is learned once "
        "there. They are mostly stored as one block of that many times the width.",
        "The shared block does not fit, or is ignored.",
    ),
    "shared_expert_intermediate_size": (
        "The width of the block that every token goes through beside the experts.",
        "The shared block does not fit, and loading fails.",
    ),
    "first_k_dense_replace": (
        "How many of the first layers have an ordinary feed-forward block in place of experts. DeepSeekMoE's "
        "report gives as the reason that the balance between experts settles more slowly in the first.",
        "Layers are made with experts that no tensor fills, or the reverse.",
    ),
    "moe_layer_freq": (
        "Which layers have experts: every so many, from an offset, or as listed.",
        "Layers are made with experts that no tensor fills, or the reverse.",
    ),
    "norm_topk_prob": (
        "Whether the scores of the picked experts are divided by their sum, so that the weights add up to one.",
        "Nothing fails: it has no tensor. The expert branch weighs too much or too little in every layer.",
    ),
    "scoring_func": (
        "How router logits become scores: softmax makes experts compete, sigmoid scores each by itself.",
        "Nothing fails: it has no tensor. The picked experts may be the same; their weights are not.",
    ),
    "topk_method": (
        "How experts are picked from the scores. With a bias for each expert (noaux_tc) the bias shifts the choice, "
        "not the weights, and is adjusted in training so that experts are used evenly without an extra loss.",
        "Nothing fails; other experts are picked, or a stored bias is ignored.",
    ),
    "n_group": (
        "Experts in groups, each meant for one node of a cluster: a token first picks topk_group groups and then "
        "experts in them only, so that it travels to few nodes.",
        "Nothing fails; other experts are picked. The number of experts must be divisible by the number of groups.",
    ),
    "routed_scaling_factor": (
        "A constant on the routed experts' sum before it is added.",
        "Nothing fails: it has no tensor. The expert branch weighs too much or too little in every layer.",
    ),
    "router_aux_loss_coef": (
        "The weight of an extra loss that pushes the router to use all experts evenly. Left alone, routers were seen to "
        "favour a few experts more and more (Shazeer et al. 2017); a loss like this is one remedy, a bias for each "
        "expert another.",
        "Nothing in inference.",
    ),
    "router_z_loss_coef": (
        "The weight of an extra loss that keeps router logits small, for the sake of low-precision training.",
        "Nothing in inference.",
    ),
    "router_jitter_noise": (
        "Random factors on the router's input in training, so that it tries other experts. In PhiMoE "
        "router_jitter_noise is another thing: how far an expert's score may lie below the best to count at all, in "
        "training and after it.",
        "Nothing in inference, but in PhiMoE the scores of the experts change.",
    ),
    "output_router_logits": (
        "Whether the model returns the router's logits (and adds the balancing loss when it is given labels).",
        "Memory, and the loss that is reported; not the predictions.",
    ),
    "expert_capacity": (
        "How many tokens of a batch one expert accepts; the rest skip it.",
        "Tokens are dropped, or none are: results depend on the batch.",
    ),
    "moe_latent_size": (
        "The width that tokens are projected to before the experts, and back after them: experts read and write less.",
        "The experts' tensors do not fit.",
    ),
    "num_nextn_predict_layers": (
        "Extra layers that predict tokens further ahead. They help in training, and can draft tokens for speculative "
        "decoding; the main model does not need them, and libraries mostly skip their tensors.",
        "Tensors of the extra layers are missing, or are ignored.",
    ),
    "ep_size": (
        "Over how many ranks the experts were split in training.",
        "Nothing but where experts are computed.",
    ),
    # --- mixers ---
    "state_size": (
        "How many numbers each channel of a state-space layer remembers. The state has a fixed size, whatever the "
        "length of the text: no cache that grows, and no way to look a far token up exactly.",
        "The tensors do not fit, and loading fails.",
    ),
    "mamba_expand": (
        "The inner width of a state-space layer as a multiple of the hidden size.",
        "The tensors do not fit, and loading fails.",
    ),
    "conv_kernel": (
        "The length of a short convolution over the last few tokens. Its input for that many tokens is part of what "
        "generation keeps.",
        "The kernel's tensor does not fit, and loading fails.",
    ),
    "conv_kernel.strided": (
        "The lengths of the convolutions that turn sound into vectors, one after the other, each with a stride "
        "of its own: together they decide how much sound one vector stands for.",
        "The kernels' tensors do not fit, and loading fails.",
    ),
    "conv_kernel.centred": (
        "The length of a convolution over each token and its neighbours on both sides.",
        "The kernel's tensor does not fit, and loading fails.",
    ),
    "time_step_rank": (
        "The width through which a state-space layer computes its step size, which decides how fast each channel "
        "forgets. “auto” is the hidden size over 16, rounded up.",
        "The tensors do not fit, and loading fails.",
    ),
    "attention_hidden_size": (
        "The width of the time mixing that stands in for attention: of its keys, values and receptances, and of the "
        "decay of each channel. Where it is left out it is hidden_size.",
        "The tensors do not fit, and loading fails.",
    ),
    "mamba_n_heads": (
        "How many heads the inner width of a state-space layer is cut into; each has one rate of forgetting.",
        "The tensors do not fit, and loading fails.",
    ),
    "mamba_d_head": (
        "The width of one head of a state-space layer.",
        "The tensors do not fit, and loading fails.",
    ),
    "mamba_n_groups": (
        "How many groups of heads share the vectors that write to the state and read from it, as grouped queries share "
        "keys and values.",
        "The tensors do not fit, and loading fails.",
    ),
    "mamba_chunk_size": (
        "How many tokens are computed at once as a matrix product between two steps of the state.",
        "Speed and memory, not the result (beyond rounding).",
    ),
    "mamba_conv_bias": (
        "Whether the convolution or the projections of a state-space layer have biases.",
        "Biases are made that no tensor fills, or stored ones are ignored.",
    ),
    "time_step_limit": (
        "The least and the greatest step size of a state-space layer. What is outside is cut off whenever the model "
        "runs, not only in training.",
        "Nothing fails: no tensor holds it. Step sizes are cut off that were not in training, or the reverse.",
    ),
    "time_step_min": (
        "How the step sizes of a state-space layer are drawn before training: their range, a floor, a factor. In some "
        "families (Zamba2, Nemotron-H) time_step_min is also the least step size when the model runs.",
        "Nothing changes for a trained checkpoint, unless the family also uses it as a limit.",
    ),
    "use_mamba_kernels": (
        "Which code computes the recurrence.",
        "Speed and memory, not the result (beyond rounding).",
    ),
    "mamba_ssm_dtype": (
        "The number format of the state while the model runs.",
        "In few bits errors add up over a long text, since each state is made from the last.",
    ),
    "linear_num_value_heads": (
        "Heads of the linear-attention layers; keys may have fewer than values, and are then shared. Each head keeps a "
        "matrix of key width × value width in place of a cache that grows.",
        "The tensors do not fit, and loading fails.",
    ),
    "linear_num_value_heads.channels": (
        "Heads of the linear-attention layers (Kimi Delta Attention). Each keeps a matrix of key width × value "
        "width in place of a cache that grows, and each channel of it fades at a rate of its own.",
        "The tensors do not fit, and loading fails.",
    ),
    "linear_key_head_dim": (
        "The width of keys or values of one linear-attention head, which are the two sides of the matrix that it "
        "remembers with.",
        "The tensors do not fit, and loading fails.",
    ),
    "linear_key_head_dim.channels": (
        "The width of the keys and of the values of one head of the linear-attention layers (Kimi Delta "
        "Attention): the two sides of the matrix that it remembers with.",
        "The tensors do not fit, and loading fails.",
    ),
    "lru_width": (
        "The width of a gated linear recurrence, one remembered number for each channel.",
        "The tensors do not fit, and loading fails.",
    ),
    # --- towers ---
    "vision_config": (
        "The config of a tower beside the language model: what turns images or sound into vectors, or reads them.",
        "The keys in it decide the tower's sizes; the language model's are elsewhere.",
    ),
    "patch_size": (
        "The side of the squares that an image is cut into, in pixels. Each becomes one token of the tower.",
        "The first layer's kernel does not fit, and loading fails.",
    ),
    "image_size": (
        "The side of the image that the tower was trained on, in pixels. With learned positions it decides how many "
        "there are.",
        "The table of positions does not fit; towers that stretch their positions accept other sizes.",
    ),
    "num_position_embeddings": (
        "How many learned positions a tower has, in all or along a side.",
        "The table of positions does not fit, and loading fails.",
    ),
    "use_rel_pos": (
        "Whether a tower's attention learns a number for each distance between patches, and which of its layers see "
        "the whole image.",
        "The tables of distances do not fit, or the wrong layers are windowed.",
    ),
    "vision_use_head": (
        "Whether the tower ends in a layer that makes one vector of the whole image, and how wide that is. A language "
        "model reads the patches and does not need it.",
        "The layer is made at random, or a stored one is ignored.",
    ),
    "deepstack_visual_indexes": (
        "From which of the tower's layers features are also taken, to be added inside the first layers of the language "
        "model.",
        "Projections are made that no tensor fills, or features come from the wrong layers.",
    ),
    "downsample_factor": (
        "How many neighbouring features are joined, or how wide the layer is that joins them.",
        "The tensors that join them do not fit.",
    ),
    "num_channels": ("Colours of a picture: three, or one.", "The first layer's kernel does not fit."),
    "temporal_patch_size": (
        "How many video frames one patch covers; a still image is repeated as often.",
        "The first layer's kernel does not fit.",
    ),
    "spatial_merge_size": (
        "How many neighbouring patches are joined before the language model sees them: the square of it (or, for a "
        "ratio, of its inverse) fewer tokens an image.",
        "The projector's input does not fit.",
    ),
    "vision_feature_layer": (
        "Which of the tower's layers the features are taken from (-2 is the last but one), and whether the class token "
        "comes with them.",
        "Nothing fails where the width is the same; the features are others than in training.",
    ),
    "projector_hidden_act": (
        "The non-linear function of the projector between tower and language model.",
        "Nothing fails: it has no tensor. The features are off.",
    ),
    "projection_dim": (
        "A width of the projector: what features are projected to on their way from a tower, or inside it.",
        "The projector's tensors do not fit.",
    ),
    "image_seq_length": (
        "How many tokens an image takes up in the text.",
        "The number of placeholders and that of features differ: an error.",
    ),
    "num_mel_bins": (
        "Into how many frequency bands sound is split before the tower.",
        "The first layer's kernel does not fit.",
    ),
    "hidden_size_per_layer_input": (
        "A second, small embedding whose rows are looked up for every layer anew. It is large on disk, and may stay "
        "outside fast memory, for only a token's rows are read.",
        "The tables do not fit.",
    ),
    "altup_num_inputs": (
        "Several copies of the residual stream, of which a layer computes one and predicts the others (AltUp).",
        "The tensors do not fit, and loading fails.",
    ),
    "altup_active_idx": (
        "Which of the copies of the residual stream a layer computes (altup_active_idx), and whether what it "
        "computes there is scaled by a learned vector (altup_correct_scale).",
        "Nothing fails: no tensor's shape depends on them. Layers read and correct another stream than in "
        "training, and the output is wrong.",
    ),
    "laurel_rank": (
        "The rank of a thin path of two matrices beside each attention, whose result is added to the stream as "
        "well (LAuReL).",
        "The tensors do not fit, and loading fails.",
    ),
    "hc_mult": (
        "Several residual streams in place of one, mixed by learned weights before and after each sub-layer "
        "(hyper-connections).",
        "The mixing weights do not fit.",
    ),
    "hc_sinkhorn_iters": (
        "How the matrix that mixes the residual streams is made: its rows and columns are scaled in turn until "
        "each adds up to one (Sinkhorn), so many times; hc_eps keeps the sums from being zero.",
        "Nothing fails: they have no tensor. The streams are mixed a little differently than in training.",
    ),
}
