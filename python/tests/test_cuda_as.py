"""Programs that hard-code "cuda", run on the host: --cuda-as, TILEC_CUDA_AS."""

import os
import subprocess
import sys
import textwrap
import unittest
from importlib.util import find_spec

PROGRAM = """
    import threading
    import torch
    import triton
    from helper_kernels import add

    def run():
        x, y = torch.rand(100, device="cuda"), torch.ones(100).cuda()
        out = torch.empty_like(x).to("cuda:0")
        assert x.is_cuda and torch.cuda.is_available() and torch.cuda.device_count() == 1
        zeros = torch.zeros(3, device=torch.device("cuda", 0), pin_memory=True).to(device="cuda")
        add[(1,)](x, y, out, 100, BLOCK=128)
        torch.cuda.synchronize()
        assert torch.equal(out, x + y) and zeros.sum() == 0

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    run()
    model = torch.nn.Linear(3, 4).cuda().to("cuda")
    assert model(torch.ones(2, 3, device="cuda")).shape == (2, 4)
    with torch.cuda.device(0), torch.cuda.stream(torch.cuda.Stream()):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        end.record()
        assert start.elapsed_time(end) >= 0
    torch.set_default_device("cuda")
    assert torch.zeros(2).device.type == "cpu"
    assert torch.cuda.get_device_properties(0).multi_processor_count > 0
    print(triton.runtime.driver.active.get_current_target().backend)
"""


def run(*options, text=PROGRAM, **environment):
    return subprocess.run([sys.executable, "-m", "tilec", *options, "-c", textwrap.dedent(text)],
                          capture_output=True, text=True, timeout=900,
                          env={**os.environ, **environment}, cwd=os.path.dirname(__file__) or ".")


class CudaAs(unittest.TestCase):
    @unittest.skipUnless(find_spec("torch"), "needs PyTorch")
    def test_a_program_for_a_gpu(self):
        for options, environment, backend in (((), {"TILEC_CUDA_AS": "cpu"}, "cpu"),
                                              (("--cuda-as", "sim"), {}, "cuda")):
            ran = run(*options, **environment)
            self.assertEqual((ran.stdout.split(), ran.returncode), ([backend], 0), ran.stderr)

    def test_where_there_is_no_gpu(self):
        hint = "hint: `python -m tilec --cuda-as cpu ...`"
        error = "raise RuntimeError('Found no NVIDIA driver on your system.')"
        self.assertIn(hint, run(text=error).stderr)
        self.assertNotIn(hint, run("--cuda-as", "cpu", text=error).stderr)
        self.assertNotIn(hint, run(text="raise RuntimeError('no driver')").stderr)

    def test_without_pytorch_it_changes_nothing(self):
        block = "import sys\nsys.modules['torch'] = None\n"
        ran = run(text=block + "import tilec.cuda_as\ntilec.cuda_as.begin('cpu')\nprint('fine')")
        self.assertEqual(ran.stdout, "fine\n", ran.stderr)

    def test_names(self):
        ran = run("--cuda-as", "gpu", text="pass")
        self.assertEqual((ran.returncode, ran.stderr),
                         (2, "tilec: --cuda-as is cpu, interp, sim, not `gpu`\n"))
        ran = run(text="pass", TILEC_CUDA_AS="gpu")
        self.assertIn("ValueError: TILEC_CUDA_AS is cpu, interp or sim, not 'gpu'", ran.stderr)


if __name__ == "__main__":
    unittest.main()
