"""Writes a GGUF file whose weights are random: the header first, then the tensors, streamed."""

import random
import struct

ALIGNMENT = 32  # GGUF's default: no general.alignment key needed
POOL_BYTES = 4 << 20  # weights repeat after this; llama-bench measures time, which does not depend on their values

F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8  # ggml's numbers

# Elements and bytes per block.
BLOCKS = {F32: (1, 4), F16: (1, 2), Q4_0: (32, 18), Q8_0: (32, 34)}


def tensor_bytes(tensor_type, shape):
    """Bytes of a tensor of this shape (ne order: shape[0] is the row). REQUIRES: rows of whole blocks."""
    elements, size = BLOCKS[tensor_type]
    if shape[0] % elements:
        raise ValueError(f"a row of {shape[0]} is not a multiple of {elements}")
    count = 1
    for extent in shape:
        count *= extent
    return count // elements * size


def _blocks(rng, count, scale, quant_bytes):
    """`count` blocks of an f16 scale and random quants."""
    size = 2 + quant_bytes
    pool = bytearray(rng.randbytes(count * size))
    low, high = struct.pack("<e", scale)
    pool[0::size] = bytes([low]) * count
    pool[1::size] = bytes([high]) * count
    return bytes(pool)


def _f16(rng, count):
    """Random f16 of magnitude 2^-6 .. 2^-5: sign and mantissa are random, the exponent is fixed."""
    pool = bytearray(rng.randbytes(count * 2))
    pool[1::2] = pool[1::2].translate(bytes((b & 0x83) | (9 << 2) for b in range(256)))
    return bytes(pool)


def weight_pool(tensor_type, seed):
    """Some MiB of valid blocks; standard deviation near 1/sqrt(2048), so that activations stay finite in any layer."""
    rng = random.Random(seed)
    if tensor_type == F16:
        return _f16(rng, POOL_BYTES // 2)
    if tensor_type == Q4_0:
        return _blocks(rng, POOL_BYTES // 18, 0.0048, 16)
    if tensor_type == Q8_0:
        return _blocks(rng, POOL_BYTES // 34, 0.0003, 32)
    raise ValueError(f"no weights of type {tensor_type}")


def _string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value):
    """A key's value: str, int (as u32) or float (as f32)."""
    if isinstance(value, str):
        return struct.pack("<I", 8) + _string(value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    return struct.pack("<If", 6, value)


def _align(n):
    return -n % ALIGNMENT


def header(keys, tensors):
    """The bytes before the tensor data. keys: {name: value}; tensors: [(name, type, shape)] in file order."""
    out = [struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(keys))]
    for name, value in keys.items():
        out.append(_string(name) + _value(value))
    offset = 0
    for name, tensor_type, shape in tensors:
        out.append(_string(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape))
        out.append(struct.pack("<IQ", tensor_type, offset))
        size = tensor_bytes(tensor_type, shape)
        offset += size + _align(size)
    data = b"".join(out)
    return data + b"\0" * _align(len(data))


def file_bytes(keys, tensors):
    """Size of the whole file."""
    sizes = (tensor_bytes(t, shape) for _, t, shape in tensors)
    return len(header(keys, tensors)) + sum(size + _align(size) for size in sizes)


def _write_repeated(out, pool, size):
    """`size` bytes of whole blocks, the pool over and over."""
    view = memoryview(pool)
    while size:
        size -= out.write(view[: min(size, len(pool))])


def write(path, keys, tensors, seed=1):
    """Writes the file. F32 tensors (norms) are all ones, other tensors random."""
    pools = {}
    with open(path, "wb", buffering=0) as out:
        out.write(header(keys, tensors))
        for _, tensor_type, shape in tensors:
            size = tensor_bytes(tensor_type, shape)
            if tensor_type == F32:
                out.write(struct.pack("<f", 1.0) * (size // 4))
            else:
                if tensor_type not in pools:
                    pools[tensor_type] = weight_pool(tensor_type, seed)
                _write_repeated(out, pools[tensor_type], size)
            out.write(b"\0" * _align(size))
