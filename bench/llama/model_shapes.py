"""The model classes: llama shapes with tied embeddings, every weight matrix of one type."""

from dataclasses import dataclass

from . import gguf_writer as gguf

TYPES = {"q4_0": gguf.Q4_0, "q8_0": gguf.Q8_0, "f16": gguf.F16}
FILE_TYPES = {"f16": 1, "q4_0": 2, "q8_0": 7}  # general.file_type, llama.cpp's numbers


@dataclass(frozen=True)
class Shape:
    """Dimensions of a llama; head size 64."""

    layers: int
    width: int
    heads: int
    kv_heads: int
    ffn: int
    vocab: int
    context: int = 4096

    @property
    def kv_width(self):
        return self.width // self.heads * self.kv_heads


# 1B is the shape of Llama 3.2 1B (1.24e9 weights). 0.5B is half as wide (0.51e9 weights).
CLASSES = {
    "0.5B": Shape(layers=24, width=1024, heads=16, kv_heads=8, ffn=4096, vocab=128256),
    "1B": Shape(layers=16, width=2048, heads=32, kv_heads=8, ffn=8192, vocab=128256),
}


def keys(model_class, type_name):
    """GGUF keys. There is no tokenizer: llama-bench feeds token numbers and needs none."""
    s = CLASSES[model_class]
    return {
        "general.architecture": "llama",
        "general.name": f"random {model_class} {type_name}",
        "general.file_type": FILE_TYPES[type_name],
        "general.quantization_version": 2,
        "llama.context_length": s.context,
        "llama.embedding_length": s.width,
        "llama.block_count": s.layers,
        "llama.feed_forward_length": s.ffn,
        "llama.attention.head_count": s.heads,
        "llama.attention.head_count_kv": s.kv_heads,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": s.width // s.heads,
        "llama.rope.freq_base": 500000.0,
        "llama.vocab_size": s.vocab,
        "tokenizer.ggml.model": "no_vocab",
    }


def tensors(model_class, type_name):
    """[(name, type, shape)]: shape[0] is the row, that is the inputs of a matrix."""
    s, t = CLASSES[model_class], TYPES[type_name]
    out = [("token_embd.weight", t, (s.width, s.vocab)), ("output_norm.weight", gguf.F32, (s.width,))]
    for i in range(s.layers):
        out += [
            (f"blk.{i}.attn_norm.weight", gguf.F32, (s.width,)),
            (f"blk.{i}.attn_q.weight", t, (s.width, s.width)),
            (f"blk.{i}.attn_k.weight", t, (s.width, s.kv_width)),
            (f"blk.{i}.attn_v.weight", t, (s.width, s.kv_width)),
            (f"blk.{i}.attn_output.weight", t, (s.width, s.width)),
            (f"blk.{i}.ffn_norm.weight", gguf.F32, (s.width,)),
            (f"blk.{i}.ffn_gate.weight", t, (s.width, s.ffn)),
            (f"blk.{i}.ffn_up.weight", t, (s.width, s.ffn)),
            (f"blk.{i}.ffn_down.weight", t, (s.ffn, s.width)),
        ]
    return out


def weights(model_class):
    """Weights of all matrices; a tied matrix counts once."""
    return sum(shape[0] * shape[1] for _, _, shape in tensors(model_class, "f16") if len(shape) == 2)


def matrix_bytes(model_class, type_name):
    """Bytes of all matrices: what one generated token must read, the output matrix included."""
    return sum(gguf.tensor_bytes(t, s) for _, t, s in tensors(model_class, type_name) if len(s) == 2)
