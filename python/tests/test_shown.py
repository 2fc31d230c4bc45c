"""kernel.report() and explain(), what notebooks show, and the example notebook."""

import ast
import contextlib
import html.parser
import importlib.util
import io
import json
import linecache
import os
import pathlib
import sys
import tempfile
import types
import unittest

import tilec
from helper_kernels import add
from needs_numpy import np, setUpModule
from tilec.told import Told

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "examples/python/notebook.ipynb"
SOURCE = """
import tilec as triton
import tilec.language as tl
from tilec.language import arange

WIDE: tl.constexpr = 8

@triton.constexpr_function
def half(n):
    return n // 2

@triton.jit
def twice(v):
    return v * half(4)

@triton.jit
def kernel(x, out, n, stride, SHIFT: tl.constexpr = 0):
    at = tl.program_id(0) * WIDE + arange(0, WIDE)
    v = tl.load(x + at * stride, mask=at < n, other=-1.0)
    tl.store(out + at, twice(v) + SHIFT, mask=at < n)
"""


def in_cell(text, name="<a cell of test_shown>"):
    """The names that a text gives, which is in no file, as that of a notebook's cell."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    module = types.ModuleType("cell")
    exec(compile(text, name, "exec"), module.__dict__)
    return module


class Balanced(html.parser.HTMLParser):
    """What is open, and texts."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.tags = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.texts.append(data)


class Words(unittest.TestCase):
    def test_what_a_launch_wishes(self):
        x = np.ones(8, np.float32)
        said = {"BLOCK": 8, "enable_fp_fusion": 1, "sanitize_overflow": False, "debug": None}
        with Told(add, (1,), (x, x, x.copy(), 8), said) as told:
            self.assertLess({"sanitize_overflow=False", "enable_fp_fusion=True"}, set(told.words))
            self.assertFalse([word for word in told.words if word.startswith("debug")])


class Explanations(unittest.TestCase):
    def setUp(self):
        self.cell = in_cell(SOURCE)
        self.x = np.arange(10, dtype=np.float32)
        self.out = np.zeros(10, np.float32)

    def explain(self, **more):
        return self.cell.kernel.explain(self.x, self.out, 10, 1, grid=(2,), **more)

    def test_each_statement_with_its_values(self):
        told = self.explain()
        self.assertEqual([step.source.split()[0] for step in told.steps], ["at", "v", "tl.store(out"])
        self.assertEqual(told["at"].array.tolist(), list(range(8)))
        self.assertEqual(told["at"].dtype, "i32")
        self.assertIsNone(told["v"].loaded)
        self.assertEqual(told["stored: twice(v) + SHIFT"].array.tolist(), [2.0 * i for i in range(8)])
        self.assertTrue(told.is_whole)
        with self.assertRaises(KeyError):
            told["w"]

    def test_what_a_mask_leaves_out(self):
        v = self.explain(program=1)["v"]
        self.assertEqual(v.array.tolist(), [8, 9, -1, -1, -1, -1, -1, -1])
        self.assertEqual(v.loaded.tolist(), [True] * 2 + [False] * 6)
        self.assertIn("not loaded 6", v.summary())
        page = Balanced(v._repr_html_())
        self.assertEqual(page.open, [])
        self.assertIn("(-1)", page.texts)
        self.assertIn("9", page.texts)

    def test_as_html_and_text(self):
        told = self.explain(SHIFT=3)
        page = Balanced(told._repr_html_())
        self.assertEqual(page.open, [])
        self.assertIn("program (0, 0, 0) of kernel", page.texts)
        self.assertIn("at = tl.program_id(0) * WIDE + arange(0, WIDE)", page.texts)
        self.assertIn("at: i32 8  min 0  max 7", str(told))
        self.assertEqual(repr(told), "<program (0, 0, 0) of kernel, 3 statements>")

    def test_arrays_stay_as_they_are(self):
        self.explain()
        self.assertEqual(self.out.tolist(), [0] * 10)

    def test_views(self):
        wide = np.arange(40, dtype=np.float32).reshape(10, 4)
        told = self.cell.kernel.explain(wide[:, :2], self.out, 10, 4, grid=lambda meta: (2 + meta["SHIFT"],))
        self.assertEqual(told["v"].array.tolist(), list(range(0, 32, 4)))
        with self.assertRaisesRegex(tilec.errors.ArgumentError, "strides of `x`"):
            self.cell.kernel.explain(wide[::-1], self.out, 10, -4, grid=2)

    def test_a_kernel_of_a_file(self):
        told = add.explain(self.x, self.x, self.out, 10, grid=1, BLOCK=16)
        self.assertEqual(len(told.steps), len({step.line for step in told.steps}))

    def test_what_is_wrong(self):
        with self.assertRaisesRegex(tilec.CompilationError, "outside of its 10 elements"):
            self.cell.kernel.explain(self.x, self.out, 11, 1, grid=2, program=1)
        with self.assertRaisesRegex(tilec.CompilationError, "program"):
            self.explain(program=7)
        with self.assertRaisesRegex(TypeError, "two values for `x`"):
            self.explain(x=self.x)
        with self.assertRaisesRegex(tilec.CompilationError, "SHIF.*\n?.*SHIFT"):
            self.explain(SHIF=2)
        self.assertEqual(self.explain(num_warps=2, waves_per_eu=1)["at"].shape, (8,))


class Tiles(unittest.TestCase):
    def tile(self, shape, **more):
        from tilec.explained import Tile

        count = int(np.prod(shape))
        return Tile({"dtype": "fp32", "shape": list(shape), "data": list(map(float, range(count))), **more})

    def test_long_axes_are_cut_in_the_middle(self):
        page = Balanced(self.tile((100, 64))._repr_html_())
        rows = [tag for tag, _ in page.tags if tag == "tr"]
        self.assertEqual(len(rows), 1 + 9)
        self.assertEqual(page.open, [])
        self.assertIn("6399", page.texts)
        self.assertNotIn("640", page.texts)

    def test_other_shapes(self):
        self.assertIn("fp32 2x2x2", self.tile((2, 2, 2))._repr_html_())
        self.assertEqual(self.tile(()).summary(), "0")
        self.assertEqual(self.tile((2,), data=["nan", "-inf"]).array[1], -np.inf)
        self.assertIn("pointers into x 2", self.tile((2,), points_into="x").summary())


class Reports(unittest.TestCase):
    def test_a_page(self):
        cell = in_cell(SOURCE)
        x, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
        told = cell.kernel.report(x, out, 1000, 1, grid=(125,), device="sim")
        self.assertTrue(told.html.startswith("<!"))
        self.assertIn("kernel on sim", str(told))
        self.assertIn("must move", told.text)
        frame = Balanced(told._repr_html_())
        self.assertEqual(dict(frame.tags)["iframe"]["srcdoc"], told.html)
        self.assertFalse(out.any())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            told.save(path)
            self.assertEqual(pathlib.Path(path).read_text(encoding="utf-8"), told.html)

    def test_what_is_wrong(self):
        with self.assertRaisesRegex(tilec.CompilationError, "argument `y` was not given"):
            add.report(np.zeros(4, np.float32), grid=1)

    def test_what_a_launch_gives(self):
        x = np.zeros(8, np.float32)
        for device, more in (("cpu", 0), ("sim", 4)):
            page = Balanced(add[(1,)](x, x, x, 8, BLOCK=8, device=device)._repr_html_())
            self.assertEqual(page.open, [])
            self.assertEqual([tag for tag, _ in page.tags].count("tr"), 3 + more)
            self.assertIn(device, page.texts)

    def test_a_profile(self):
        out = np.zeros(4096, np.float32)
        with tilec.profile("interp") as p:
            for _ in range(20):
                add[(4,)](out, out, out, 4096, BLOCK=1024, device="interp")
        page = Balanced(p._repr_html_())
        self.assertEqual(page.open, [])
        self.assertTrue(any("helper_kernels.py:" in text for text in page.texts))


class Notebooks(unittest.TestCase):
    def cells(self):
        return ["".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
                if cell["cell_type"] == "code"]

    def test_cells_in_order(self):
        """Each cell runs, and what its last line gives shows itself."""
        names, shown = {"__name__": "__main__"}, 0
        for i, text in enumerate(self.cells()):
            path = f"<cell {i} of test_shown>"
            linecache.cache[path] = (len(text), None, text.splitlines(True), path)
            tree = ast.parse(text)
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(tree, path, "exec"), names)
                value = eval(compile(ast.Expression(last.value), path, "eval"), names) if last else None
            if hasattr(value, "_repr_html_"):
                self.assertEqual(Balanced(value._repr_html_()).open, [])
                shown += 1
        self.assertGreaterEqual(shown, 3)

    @unittest.skipUnless(importlib.util.find_spec("nbclient") and importlib.util.find_spec("ipykernel"),
                         "needs nbclient and ipykernel")
    def test_in_jupyter(self):
        """The same by a kernel of Jupyter, of this Python, which may show HTML."""
        import nbclient
        import nbformat

        with tempfile.TemporaryDirectory() as folder:
            kernels = pathlib.Path(folder, "kernels/here")
            kernels.mkdir(parents=True)
            about = {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
                     "display_name": "here", "language": "python"}
            (kernels / "kernel.json").write_text(json.dumps(about), encoding="utf-8")
            old = os.environ.get("JUPYTER_PATH")
            os.environ["JUPYTER_PATH"] = folder
            try:
                book = nbformat.read(NOTEBOOK, as_version=4)
                nbclient.NotebookClient(book, timeout=600, kernel_name="here").execute()
            finally:
                os.environ.pop("JUPYTER_PATH")
                if old is not None:
                    os.environ["JUPYTER_PATH"] = old
        outputs = [o for cell in book.cells if cell.cell_type == "code" for o in cell.outputs]
        self.assertEqual([o for o in outputs if o.output_type == "error"], [])
        self.assertGreaterEqual(sum("text/html" in o.get("data", {}) for o in outputs), 3)


if __name__ == "__main__":
    unittest.main()
