"""Every masked and causal architecture that transformers has, tiny and random.

It is read as transformers alone reads it, one sequence at a time, or refused in one line.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoConfig

from examples import example_pairs
from library import (
    CAUSAL_LM,
    LEFT,
    MASKED_LM,
    MODEL_KINDS,
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

# sentences of 4 to 10 tokens with the two around them
PAIRS = example_pairs().iloc[[2, 7]].reset_index(drop=True)
TOKENIZER = tiny_tokenizer("modernbert")

SIZES: Mapping[int, str] = {
    0: "num_kv_shared_layers",
    1: """n_group topk_group num_expert_group mamba_n*groups n_groups first_k_dense_replace num_dense_layers
    moe_layer_start_index num_nextn_predict_layers indexer_kv_heads n_shared_experts""",
    2: "*key_value_heads *kv_heads *experts_per_tok* moe_topk moe_k index_n_heads *_attends_per_block",
    16: """*lora_rank qk_head_dim attention_head_dim *_state *state_size mamba_chunk_size chunk_size
    time_step_rank *dt_rank""",
    8: """*head_dim *d_head kv_channels rotary_dim mamba_n_heads ple_embed_dim num_latents *vocab_size_base
    entity_vocab_size pronunciation_vocab_size shape_vocab_size indexer_* hc_lowrank attention_window""",
    4: "*heads n_head *num_*experts n_routed_experts",
    32: """hidden_size d_model n_embd dim *emb*_dim *embedding_size *_emb_size embedding_dim lru_width *_lat*s
    moe_intermediate_size shared_expert_intermediate_size true_hidden_size expert_ffn_hidden_size
    intra_bottleneck_size hidden_size_* adapter_*_* encoder_hash_byte_group_vocab prediction_head_size""",
    64: """attention_hidden_size *intermediate_size* *ffn_dim ffn_hidden_size hidden_dim mamba_d_ssm ?_inner
    dff dim_ff feed_forward_size""",
    128: "max_position_embeddings n_positions n_ctx max_seq_len context_length",
}
"""What settings become whose names match; of several the first."""

LAYERS = """num_hidden_layers n_layer n_layers num_layers encoder_layers decoder_layers num_encoder_layers
num_decoder_layers num_blocks""".split()  # noqa: SIM905

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
    **{f"gemma4_{name}": "it reads states of another model" for name in ("assistant", "unified_assistant")},
    **dict.fromkeys(("musicgen", "musicgen_melody"), "transformers makes no decoder of its configuration"),
}
"""Architectures that are not tried, and why."""


def shrunk(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration's settings with small numbers, and as many layers as show each kind of them once."""
    patterns = {pattern: number for number, names in SIZES.items() for pattern in names.split()}
    matching = {name: [n for each, n in patterns.items() if fnmatchcase(name, each)] for name in settings}
    by_name = {name: numbers[0] for name, numbers in matching.items() if numbers}
    # grouped where they are by default
    if settings.get("num_key_value_heads", 0) == settings.get("num_attention_heads"):
        by_name["num_key_value_heads"] = by_name["num_attention_heads"]
    small = {
        name: number if settings[name] is None else min(settings[name], number)
        for name, number in by_name.items()
        if isinstance(settings[name], int | None)
    }
    depth = next((settings[name] for name in LAYERS if isinstance(settings.get(name), int)), 0)
    of_layers = {n: v for n, v in settings.items() if isinstance(v, list) and len(v) == depth > 2}
    kinds = {n: v for n, v in of_layers.items() if len({str(each) for each in v}) < depth}
    shown = sorted({0, 1, *(v.index(each) for v in kinds.values() for each in v)})
    for name, value in kinds.items():
        of_shown = [value[layer] for layer in shown]
        is_size = name in by_name and isinstance(value[0], int)
        small[name] = [min(each, by_name[name]) for each in of_shown] if is_size else of_shown
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


def saved_network(kind: str, model_type: str, directory: Path) -> Any:
    """A random network of this architecture, saved with the tokenizer."""
    settings = AutoConfig.for_model(model_type).to_dict()
    as_decoder = {"is_decoder": True, "is_encoder_decoder": False, "causal": True}
    of_kind = {name: value for name, value in as_decoder.items() if name in settings and kind == CAUSAL_LM}
    config = AutoConfig.for_model(model_type, **shrunk(settings), **of_kind)
    torch.manual_seed(0)
    network = MODEL_KINDS[kind].auto.from_config(config, attn_implementation="eager").eval()
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
@pytest.mark.parametrize(
    ("kind", "model_type"), [(kind, of) for kind in (MASKED_LM, CAUSAL_LM) for of in MODEL_KINDS[kind].types]
)
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
    longest = manifest["max_length"]
    for masking in [LEFT] if kind == CAUSAL_LM else [NONE, ONE_SHARED]:
        model = load(tmp_path, pick_device("cpu", 64), masking == NONE, start=Start.of(manifest))
        for row in collect_evidence(PAIRS, model, masking, ORIGINAL, max_length=longest).itertuples():
            ids = TOKENIZER(PAIRS.set_index("pair_id").loc[row.pair_id, row.role])["input_ids"]
            ids = ids[:-1] if kind == CAUSAL_LM else ids
            log_prob, attention = literal(network, masking, ids, row.position)
            assert row.log_prob == pytest.approx(log_prob, abs=1e-4)
            # AULA may stay undefined
            assert np.isnan(row.attention) or row.attention == pytest.approx(attention, abs=1e-4)
    ids = torch.full((1, min(longest or 128, 128)), 9)
    network(input_ids=ids, attention_mask=torch.ones_like(ids))
