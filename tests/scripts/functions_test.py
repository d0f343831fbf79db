"""Which functions a file has: by symbols, in stripped files, in hand-written ones."""

import subprocess

from hexagon_code import HexagonTest, find_tool, function

RETURN = "{ jumpr r31 }"


class Functions(HexagonTest):
    def names(self, path):
        return [f.name for f in self.analyse(path).functions]

    def stripped(self, path):
        target = self.folder / "stripped.so"
        subprocess.run([find_tool("objcopy"), "--strip-all", str(path), str(target)], check=True)
        return target

    def test_aliases_are_one_function(self):
        path = self.assemble(function("f", RETURN) + ".globl e\n.type e,@function\n.set e,f\n")
        report = self.analyse(path).functions
        self.assertEqual([(f.name, f.function.aliases) for f in report], [("e", ["f"])])

    def test_static_functions_of_a_stripped_library(self):
        path = self.link(self.compile("""static __attribute__((noinline)) int g(int x) { volatile int t = x; return t * 3; }
                                         int f(int x) { return g(x) + 1; } int e(int x) { return x ^ 5; }""", "-fPIC"))
        self.assertEqual(set(self.names(path)), {"e", "f", "g"})
        names = self.names(self.stripped(path))
        self.assertEqual(len(names), 3)
        self.assertEqual({n for n in names if not n.startswith("sub_")}, {"e", "f"})

    def test_functions_that_only_a_table_names(self):
        path = self.link(self.compile("""static int g(int x) { return x * 3; } static int h(int x) { return x * 5; }
                                         int (*const table[])(int) = { g, h };""", "-fPIC"))
        self.assertEqual(len(self.names(self.stripped(path))), 2)

    def test_labels_without_type(self):
        path = self.assemble(".text\n.globl f\nf:\n{ r0 = #1 }\n{ jumpr r31 }\n.globl g\ng:\n{ r0 = #2 }\n{ jumpr r31 }\n")
        self.assertEqual(self.names(path), ["f", "g"])

    def test_local_label_inside_a_function_starts_nothing(self):
        path = self.assemble(function("f", "{ r0 = #1 }\nmiddle:\n{ r0 = add(r0,#1) }\n" + RETURN))
        self.assertEqual(self.names(path), ["f"])

    def test_padding_belongs_to_nobody(self):
        path = self.assemble(function("f", RETURN) + ".p2align 5\n.space 32\n" + function("g", RETURN))
        self.assertEqual([(f.name, f.function.size) for f in self.analyse(path).functions], [("f", 4), ("g", 4)])

    def test_architectures(self):
        for arch in (68, 73, 75, 79, 81):
            source, path = self.folder / "a.s", self.folder / f"{arch}.o"
            source.write_text(function("f", "{ v0 = vmem(r0+#0) }\n" + RETURN))
            self.run_clang(f"-mv{arch}", f"-mhvx=v{arch}", "-c", source, "-o", path)
            library = self.analyse(path)
            self.assertEqual((library.elf.arch, library.unknown_words, library.functions[0].total.hvx_ops), (arch, 0, 1))
