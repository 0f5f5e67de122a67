"""Every masked and causal architecture that transformers has, tiny and random.

It is read as transformers alone reads it, one sequence at a time, or refused in one line.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM, PretrainedConfig
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
)

from library import (
    CAUSAL_LM,
    LEFT,
    MASKED_LM,
    NONE,
    ONE_SHARED,
    ORIGINAL,
    InputError,
    Start,
    check_model,
    collect_evidence,
    load,
    pick_device,
)
from tiny_models import tiny_tokenizer

PAIRS = pd.DataFrame(
    [
        ("a", "a man cooks", "a boy cooks", None),
        ("b", "his friend and the old woman worked all night", "his friend and the old doctor worked", None),
    ],
    columns=["pair_id", "stereotype", "antistereotype", "unrelated"],
)
"""Sentences of 6, 12 and 10 tokens with the two around them."""

TOKENIZER = tiny_tokenizer("modernbert")

SIZES: Mapping[int, str] = {
    0: "num_kv_shared_layers",
    1: """n_group topk_group num_expert_group first_k_dense_replace num_dense_layers
    moe_layer_start_index num_nextn_predict_layers mamba_n_groups n_groups mamba_ngroups indexer_kv_heads
    n_shared_experts""",
    2: """num_key_value_heads num_kv_heads swa_num_key_value_heads num_experts_per_tok
    num_experts_per_token moe_topk moe_k
    index_n_heads num_self_attends_per_block""",
    4: """num_attention_heads n_head n_heads num_heads attention_heads encoder_attention_heads
    decoder_attention_heads num_encoder_attention_heads num_decoder_attention_heads
    swa_num_attention_heads num_experts n_routed_experts num_local_experts moe_num_experts
    linear_num_key_heads linear_num_value_heads linear_num_heads""",
    8: """head_dim d_head swa_head_dim qk_rope_head_dim qk_nope_head_dim v_head_dim index_head_dim
    linear_head_dim linear_key_head_dim linear_value_head_dim kv_channels rotary_dim mamba_d_head
    mamba_n_heads ple_embed_dim entity_vocab_size pronunciation_vocab_size shape_vocab_size num_latents
    ngram_vocab_size_base indexer_n_heads indexer_head_dim indexer_budget indexer_compress_ratio
    hc_lowrank attention_window""",
    16: """kv_lora_rank q_lora_rank qk_head_dim attention_head_dim o_lora_rank mamba_d_state state_size
    ssm_state_size mamba_chunk_size chunk_size time_step_rank mamba_dt_rank""",
    32: """hidden_size d_model n_embd dim emb_dim embedding_size embedding_dim input_embedding_size
    output_embedding_size word_embed_proj_dim entity_emb_size lru_width moe_intermediate_size
    shared_expert_intermediate_size true_hidden_size intra_bottleneck_size hidden_size_per_layer_input
    expert_ffn_hidden_size pronunciation_embed_dim shape_embed_dim d_latents
    hidden_size_global adapter_in_dim adapter_out_dim adapter_input_size
    encoder_hash_byte_group_vocab prediction_head_size""",
    64: """mamba_d_ssm attention_hidden_size intermediate_size encoder_ffn_dim decoder_ffn_dim ffn_dim
    hidden_dim d_inner n_inner dff dim_ff feed_forward_size ffn_hidden_size
    moe_shared_expert_intermediate_size shared_intermediate_size dense_intermediate_size
    intermediate_size_mlp shared_experts_intermediate_size""",
    128: "max_position_embeddings n_positions n_ctx max_seq_len context_length",
}
"""What settings of these names become."""

LAYERS = """num_hidden_layers n_layer n_layers num_layers encoder_layers decoder_layers num_encoder_layers
num_decoder_layers num_blocks""".split()  # noqa: SIM905

NETWORKS: Mapping[str, tuple[Any, Collection[str]]] = {
    MASKED_LM: (AutoModelForMaskedLM, MODEL_FOR_MASKED_LM_MAPPING_NAMES),
    CAUSAL_LM: (AutoModelForCausalLM, MODEL_FOR_CAUSAL_LM_MAPPING_NAMES),
}

EXTRA: Mapping[str, Mapping[str, Any]] = {
    "bamba": {"attn_layer_indices": [1]},
    "cohere_compass_text": {
        "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e4}}
    },
    "dbrx": {
        "attn_config": {"rope_theta": 1e4, "kv_n_heads": 2, "clip_qkv": 8.0},
        "ffn_config": {"hidden_size": 32, "ffn_hidden_size": 32},
    },
    "dots3_note_text": {
        **{f"swa_{name}": 4 for name in ("num_attention_heads", "num_key_value_heads", "q_lora_rank")},
        **{f"swa_{name}": 8 for name in ("kv_lora_rank", "qk_nope_head_dim", "v_head_dim")},
        "swa_head_dim": 16,
    },
    "granitemoehybrid": {"layer_types": ["linear_attention", "full_attention"]},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"]},
    "mamba2": {"num_heads": 8},
    "neomme": {"head_dim": 16},
    "recurrent_gemma": {"num_hidden_layers": 3},
    "reformer": {
        "axial_pos_shape": [8, 16],
        "axial_pos_embds_dim": [16, 16],
        "attn_layers": ["local", "lsh"],
    },
    "xlstm": {"embedding_dim": 128, "hidden_size": 128},
    "zamba": {"num_hidden_layers": 3, "layers_block_type": ["hybrid", "linear_attention", "hybrid"]},
}
"""What else these architectures need to be small."""

NOT_BUILT = {
    "gemma3n": "its picture tower is of another package",
    "gemma4_assistant": "it drafts for another model, whose states it reads",
    "gemma4_unified_assistant": "it drafts for another model, whose states it reads",
    "musicgen": "it makes music, and transformers makes no decoder of its configuration",
    "musicgen_melody": "it makes music, and transformers makes no decoder of its configuration",
}
"""Architectures that are not tried, and why."""


def shrunk(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration's settings with small numbers, and as many layers as show each kind of them once."""
    by_name = {name: number for number, names in SIZES.items() for name in names.split()}
    # grouped where they are by default
    if settings.get("num_key_value_heads") == settings.get("num_attention_heads"):
        by_name["num_key_value_heads"] = by_name["num_attention_heads"]
    small = {
        name: number if settings[name] is None else min(settings[name], number)
        for name, number in by_name.items()
        if name in settings and isinstance(settings[name], int | None)
    }
    depth = next((settings[name] for name in LAYERS if isinstance(settings.get(name), int)), 0)
    of_layers = {n: v for n, v in settings.items() if isinstance(v, list) and len(v) == depth > 2}
    kinds = {n: v for n, v in of_layers.items() if len({str(each) for each in v}) < depth}
    shown = sorted({0, 1, *(v.index(each) for v in kinds.values() for each in v)})
    for name, value in kinds.items():
        of_shown = [value[layer] for layer in shown]
        small[name] = [min(each, by_name[name]) for each in of_shown] if name in by_name else of_shown
    small |= {name: len(shown) for name in LAYERS if isinstance(settings.get(name), int)}
    small |= {
        name: {"model_type": value["model_type"], **shrunk(value)}
        for name, value in settings.items()
        if isinstance(value, dict) and value.get("model_type")
    }
    if "vocab_size" in settings:
        small |= {name: len(TOKENIZER) for name in settings if name.startswith("vocab_size")}
        small |= {"pad_token_id": TOKENIZER.pad_token_id, "bos_token_id": 1, "eos_token_id": 2}
    return {**small, **EXTRA.get(settings["model_type"], {})}


def tiny_config(kind: str, model_type: str) -> PretrainedConfig:
    settings = AutoConfig.for_model(model_type).to_dict()
    as_decoder = {"is_decoder": True, "is_encoder_decoder": False, "causal": True}
    of_kind = {name: value for name, value in as_decoder.items() if name in settings and kind == CAUSAL_LM}
    return AutoConfig.for_model(model_type, **shrunk(settings), **of_kind)


def saved_network(kind: str, model_type: str, directory: Path) -> Any:
    """A random network of this architecture, saved with the tokenizer."""
    torch.manual_seed(0)
    network = NETWORKS[kind][0].from_config(tiny_config(kind, model_type), attn_implementation="eager").eval()
    for weights in network.parameters():
        if weights.ndim > 1:
            torch.nn.init.normal_(weights, std=0.2)
    for module in network.modules():
        # transformers clears Funnel's when it loads one
        if isinstance(module, torch.nn.Embedding) and module.padding_idx is not None:
            torch.nn.init.zeros_(module.weight[module.padding_idx])
    network.save_pretrained(directory)
    TOKENIZER.save_pretrained(directory)
    network.config.use_cache = False
    return network


def evidence(kind: str, directory: Path, manifest: Mapping[str, Any]) -> Iterator[tuple[str, pd.DataFrame]]:
    for masking in [LEFT] if kind == CAUSAL_LM else [NONE, ONE_SHARED]:
        model = load(directory, pick_device("cpu", 64), masking == NONE, start=Start.of(manifest))
        yield masking, collect_evidence(PAIRS, model, masking, ORIGINAL, max_length=manifest["max_length"])


@torch.inference_mode()
def literal(network: Any, masking: str, ids: list[int], position: int) -> tuple[float, float]:
    """Log-probability of a token of a sentence, and the attention that it receives if maps are square."""
    token, place = ids[position], position
    if masking == LEFT:
        if position == 0:
            return 0.0, np.nan
        ids, place = ids[:position], position - 1
    elif masking == ONE_SHARED:
        ids = [*ids[:position], TOKENIZER.mask_token_id, *ids[position + 1 :]]
    read = torch.tensor([ids])
    output = network(input_ids=read, attention_mask=torch.ones_like(read), output_attentions=masking == NONE)
    maps = output.get("attentions") or ()
    received = np.nan
    if maps and all(layer.shape[2:] == (len(ids), len(ids)) for layer in maps):
        received = float(torch.stack(maps).mean((0, 1, 2, 3))[position])
    return float(output.logits[0, place].log_softmax(-1)[token]), received


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "model_type"), [(kind, t) for kind in NETWORKS for t in NETWORKS[kind][1]])
def test_an_architecture_is_read_as_transformers_reads_it_or_refused(
    kind: str, model_type: str, tmp_path: Path
) -> None:
    if model_type in NOT_BUILT:
        pytest.skip(NOT_BUILT[model_type])
    network = saved_network(kind, model_type, tmp_path)
    try:
        manifest = check_model(tmp_path, kind, "tiny")
    except InputError as refusal:
        assert str(refusal).startswith("model tiny: ") and "\n" not in str(refusal)
        return
    row: Any
    for masking, rows in evidence(kind, tmp_path, manifest):
        for row in rows.itertuples():
            ids = TOKENIZER(PAIRS.set_index("pair_id").loc[row.pair_id, row.role])["input_ids"]
            ids = ids[:-1] if kind == CAUSAL_LM else ids
            log_prob, attention = literal(network, masking, ids, row.position)
            assert row.log_prob == pytest.approx(log_prob, abs=1e-4)
            # AULA may stay undefined
            assert np.isnan(row.attention) or row.attention == pytest.approx(attention, abs=1e-4)
    longest = torch.full((1, min(manifest["max_length"] or 128, 128)), 9)
    network(input_ids=longest, attention_mask=torch.ones_like(longest))
