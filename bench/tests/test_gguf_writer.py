"""The GGUF writer against a reader of its own, written from the format's description."""

import io
import os
import struct
import tempfile
import unittest

from llama import gguf_writer as gguf
from llama import model_shapes


def read(data):
    """(keys, [(name, type, shape, offset)], bytes of the header)."""
    file = io.BytesIO(data)

    def take(form):
        return struct.unpack("<" + form, file.read(struct.calcsize("<" + form)))

    def text():
        return file.read(take("Q")[0]).decode()

    magic, version, n_tensors, n_keys = take("4sIQQ")
    assert (magic, version) == (b"GGUF", 3)
    keys = {}
    for _ in range(n_keys):
        name, kind = text(), take("I")[0]
        keys[name] = text() if kind == 8 else take({4: "I", 6: "f"}[kind])[0]
    tensors = []
    for _ in range(n_tensors):
        name, rank = text(), take("I")[0]
        shape = take(f"{rank}Q")
        tensors.append((name, take("I")[0], shape, take("Q")[0]))
    return keys, tensors, -(-file.tell() // gguf.ALIGNMENT) * gguf.ALIGNMENT


class Writer(unittest.TestCase):
    KEYS = {"general.architecture": "llama", "n": 7, "eps": 0.5}
    TENSORS = [("a", gguf.Q4_0, (64, 3)), ("norm", gguf.F32, (5,)), ("b", gguf.Q8_0, (32, 2)), ("c", gguf.F16, (7, 3))]

    def written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.gguf")
            gguf.write(path, self.KEYS, self.TENSORS)
            with open(path, "rb") as file:
                return file.read()

    def test_keys_and_tensors_come_back(self):
        keys, tensors, _ = read(self.written())
        self.assertEqual(keys, self.KEYS)
        self.assertEqual([t[:3] for t in tensors], self.TENSORS)

    def test_offsets_are_aligned_and_do_not_overlap(self):
        data = self.written()
        _, tensors, header = read(data)
        end = 0
        for _, kind, shape, offset in tensors:
            self.assertEqual(offset % gguf.ALIGNMENT, 0)
            self.assertGreaterEqual(offset, end)
            end = offset + gguf.tensor_bytes(kind, shape)
        self.assertLessEqual(header + end, len(data))

    def test_size_is_known_beforehand(self):
        self.assertEqual(len(self.written()), gguf.file_bytes(self.KEYS, self.TENSORS))

    def test_norms_are_one(self):
        data = self.written()
        _, tensors, header = read(data)
        offset = header + tensors[1][3]
        self.assertEqual(struct.unpack("<5f", data[offset : offset + 20]), (1.0,) * 5)

    def test_same_seed_same_bytes(self):
        self.assertEqual(self.written(), self.written())

    def test_rows_of_part_blocks_are_refused(self):
        with self.assertRaises(ValueError):
            gguf.tensor_bytes(gguf.Q4_0, (33, 1))


class Weights(unittest.TestCase):
    def test_scales_of_blocks(self):
        for kind, size, scale in ((gguf.Q4_0, 18, 0.0048), (gguf.Q8_0, 34, 0.0003)):
            pool = gguf.weight_pool(kind, 1)
            for block in (0, 1, len(pool) // size - 1):
                written = struct.unpack("<e", pool[block * size : block * size + 2])[0]
                self.assertAlmostEqual(written, scale, delta=scale * 1e-3)

    def test_f16_is_small_and_of_both_signs(self):
        values = struct.unpack("<1000e", gguf.weight_pool(gguf.F16, 1)[:2000])
        self.assertTrue(all(2**-6 <= abs(v) < 2**-5 for v in values))
        self.assertTrue(min(values) < 0 < max(values))

    def test_pools_hold_whole_blocks(self):
        for kind in (gguf.F16, gguf.Q4_0, gguf.Q8_0):
            self.assertEqual(len(gguf.weight_pool(kind, 1)) % gguf.BLOCKS[kind][1], 0)


class Shapes(unittest.TestCase):
    def test_classes_have_the_size_of_their_name(self):
        self.assertAlmostEqual(model_shapes.weights("0.5B"), 0.51e9, delta=0.01e9)
        self.assertAlmostEqual(model_shapes.weights("1B"), 1.24e9, delta=0.01e9)

    def test_bytes_follow_the_type(self):
        weights = model_shapes.weights("1B")
        self.assertEqual(model_shapes.matrix_bytes("1B", "f16"), weights * 2)
        self.assertEqual(model_shapes.matrix_bytes("1B", "q4_0"), weights // 32 * 18)
        self.assertEqual(model_shapes.matrix_bytes("1B", "q8_0"), weights // 32 * 34)


if __name__ == "__main__":
    unittest.main()
