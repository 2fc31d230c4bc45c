"""Threads, fork, the end of the interpreter, subinterpreters, and memory over many launches."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest
import weakref

import tilec
import tilec.language as tl
from needs_numpy import np, setUpModule


@tilec.jit
def increment(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@tilec.jit
def spin(x, n):
    total = 0.0
    for i in range(n):
        total = total * 0.5 + tl.load(x)
    tl.store(x, total)


def python(text, **environment):
    """Run a program in an interpreter of its own; its completed process."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True,
                          text=True, timeout=900, env={**os.environ, **environment},
                          cwd=os.path.dirname(__file__))


class Traceback(unittest.TestCase):
    def test_that_of_a_program_begins_with_it(self):
        """As `python program.py` would show it: no frame of tilec or runpy is in front."""
        run = subprocess.run([sys.executable, "-m", "tilec", "-c", "def f():\n    1 / 0\nf()"],
                             capture_output=True, text=True, timeout=900)
        self.assertEqual(run.returncode, 1)
        frames = [line.strip() for line in run.stderr.splitlines() if line.startswith("  File ")]
        self.assertEqual(frames, ['File "<tilec -c>", line 3, in <module>',
                                  'File "<tilec -c>", line 2, in f'])
        self.assertIn("ZeroDivisionError", run.stderr)


INTERRUPTED = """
    import os, signal, socket, threading, time
    import numpy as np
    from helper_kernels import wait

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has its background jobs ignore it
    gate, count = np.zeros(1, np.int32), np.zeros(1, np.int32)
    heard, hears = socket.socketpair()  # a byte when the signal has come, to whichever thread
    hears.setblocking(False)
    signal.set_wakeup_fd(hears.fileno(), warn_on_full_buffer=False)
    def interrupt(times):
        while count[0] == 0:
            pass
        os.kill(os.getpid(), signal.SIGINT)
        if times == 1:
            heard.recv(1)
            gate[0] = 1
            return
        while True:
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)
    PREPARE
    wait.warmup(gate, count, grid=(1,))
    threading.Thread(target=interrupt, args=(TIMES,), daemon=True).start()
    try:
        wait[(100000,)](gate, count)
    except BaseException as error:
        print(type(error).__name__, 1 <= count[0] < 100000)
    gate[0] = 1
    count[0] = 0
    wait[(100,)](gate, count)
    print(count[0])
"""


class Interrupted(unittest.TestCase):
    def test_between_programs(self):
        ran = python(INTERRUPTED.replace("TIMES", "1").replace("PREPARE", ""))
        self.assertEqual((ran.stdout.split(), ran.stderr), (["KeyboardInterrupt", "True", "100"], ""))

    def test_the_handler_of_the_program_decides(self):
        handler = "signal.signal(signal.SIGINT, lambda *_: print('heard'))"
        ran = python(INTERRUPTED.replace("TIMES", "1").replace("PREPARE", handler))
        self.assertEqual(ran.stdout.split(), ["heard", "DeviceError", "True", "100"], ran.stderr)

    def test_a_program_that_does_not_end(self):
        ran = python(INTERRUPTED.replace("TIMES", "2").replace("PREPARE", ""))
        self.assertEqual(ran.returncode, -signal.SIGINT)
        self.assertIn("interrupted twice while a program of a kernel does not end", ran.stderr)


def resident():
    """The pages of this process in memory, in KiB."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


class Threads(unittest.TestCase):
    def test_launches_at_once(self):
        arrays = [np.zeros(1000, np.float32) for _ in range(6)]
        failures = []

        def work(x, block):
            try:
                for _ in range(200):
                    increment[(4,)](x, 1000, BLOCK=block)
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(x, 256 << i % 2))
                   for i, x in enumerate(arrays)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        for x in arrays:
            self.assertEqual(x.tolist(), [200] * 1000)

    def test_compiling_at_once(self):
        def make():
            @tilec.jit
            def kernel(x, N: tl.constexpr):
                tl.store(x, N + HERE)

            return kernel

        kernel, results = make(), {}

        def work(n):
            x = np.zeros(1, np.int32)
            kernel[(1,)](x, N=n)
            results[n] = int(x[0])

        threads = [threading.Thread(target=work, args=(n % 4,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {n: n + 7 for n in range(4)})

    def test_others_run_meanwhile(self):
        x = np.ones(1, np.float32)
        spin[(1,)](x, 10)
        begun, ended = threading.Event(), threading.Event()

        def work():
            begun.set()
            spin[(1,)](x, 100_000_000)
            ended.set()

        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()
        steps = 0
        while not ended.is_set():
            steps += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(steps, 5)


HERE = tl.constexpr(7)


class Processes(unittest.TestCase):
    def test_fork(self):
        x = np.zeros(8, np.float32)
        increment[(1,)](x, 8, BLOCK=8)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                for block in (8, 16):  # what the parent compiled, and what is new
                    increment[(1,)](x, 8, BLOCK=block)
                code = 0 if x.tolist() == [3] * 8 else 2
            finally:
                os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        increment[(1,)](x, 8, BLOCK=8)
        self.assertEqual(x.tolist(), [2] * 8)

    def test_end_with_threads_that_launch(self):
        done = python("""
            import threading, numpy as np
            from test_process import increment
            def work():
                x = np.zeros(100000, np.float32)
                while True:
                    increment[(100,)](x, 100000, BLOCK=1024)
            for _ in range(3):
                threading.Thread(target=work, daemon=True).start()
            import time
            time.sleep(0.3)
            print("end")
        """)
        self.assertEqual((done.returncode, done.stdout), (0, "end\n"), done.stderr)

    def test_launch_in_a_destructor_at_the_end(self):
        done = python("""
            import numpy as np
            from test_process import increment
            class Last:
                def __del__(self, launch=increment[(1,)], x=np.zeros(8, np.float32)):
                    launch(x, 8, BLOCK=8)
            keep = Last()
        """)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_subinterpreters_are_refused(self):
        done = python("""
            import tilec
            try:
                import _xxsubinterpreters as interpreters
            except ImportError:
                raise SystemExit
            one = interpreters.create()
            try:
                interpreters.run_string(one, "import tilec._core")
            except Exception as error:
                print(error)
            else:
                raise SystemExit("it was imported")
        """)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_words_of_a_crash(self):
        """A kernel that ends the process is named, with faulthandler before, behind, or without."""
        enable = "faulthandler.enable()"
        for begin, end, programs in (("", "", 8), (enable, "", 1), (enable, "", 8), ("", enable, 1)):
            done = python(f"""
                import faulthandler
                import numpy as np
                from plain_kernels import far_away
                {begin}
                x = np.zeros(4, np.float32)
                far_away[(1,)](x, 0)
                {end}
                far_away[({programs},)](x, 10**12)
                """)
            self.assertEqual(done.returncode, -11, done.stderr)
            self.assertEqual(done.stderr.count("crashed while the kernel far_away ran"), 1, done.stderr)
            # faulthandler takes itself away before it speaks, and another thread's fault ends the process then
            if programs == 1 or not begin:
                self.assertEqual("Fatal Python error: Segmentation fault" in done.stderr,
                                 bool(begin or end))

    def test_warnings_before_a_crash(self):
        """What a launch would show behind it is said when a kernel ends the process."""
        done = python("""
            import numpy as np
            from plain_kernels import ones
            x = np.zeros(1000, np.float32)
            ones[(1 << 20,)](x, 1 << 30, B=1024)
            """)
        self.assertEqual(done.returncode, -11, done.stderr)
        self.assertIn("it stores to 1073741824 elements of `x`, which has 1000", done.stderr)
        self.assertIn("crashed while the kernel ones ran", done.stderr)

    def test_a_crash_of_others_is_theirs(self):
        done = python("""
            import ctypes
            import numpy as np
            from plain_kernels import far_away
            far_away[(1,)](np.zeros(4, np.float32), 0)
            ctypes.string_at(8)
            """)
        self.assertEqual(done.returncode, -11)
        self.assertEqual(done.stderr, "")

    def test_without_numpy(self):
        done = python("""
            import sys
            sys.modules["numpy"] = None
            import ctypes
            from plain_kernels import store
            class Array:
                data = (ctypes.c_float * 4)()
                @property
                def __array_interface__(self):
                    return {"data": (ctypes.addressof(self.data), False), "shape": (4,),
                            "typestr": "<f4", "version": 3}
            array = Array()
            store[(1,)](array, 2.5)
            print(list(array.data))
        """)
        self.assertEqual((done.stdout, done.stderr), ("[2.5, 2.5, 2.5, 2.5]\n", ""))

    def test_import_is_quick_and_brings_no_library(self):
        done = python("""
            import sys, time
            start = time.process_time()
            import tilec
            print(time.process_time() - start, *(m for m in ("numpy", "torch") if m in sys.modules))
        """)
        self.assertEqual(len(done.stdout.split()), 1, done.stdout + done.stderr)
        self.assertLess(float(done.stdout), 1)  # second of the CPU; 30 ms is usual


class Memory(unittest.TestCase):
    def test_references_of_launches(self):
        x, text, grid = np.zeros(8, np.float32), "a text of its own", (1,)
        calls = [lambda: increment[grid](x, 8, BLOCK=8),
                 lambda: increment[lambda meta: grid](x, n=8, BLOCK=8),
                 lambda: increment.run(x, 8, BLOCK=8, grid=grid)]
        for call in calls:
            call()
            before = [sys.getrefcount(o) for o in (x, text, grid, increment)]
            for _ in range(50):
                call()
            self.assertEqual([sys.getrefcount(o) for o in (x, text, grid, increment)], before)

    def test_many_launches(self):
        x, matrix = np.zeros(8, np.float32), np.zeros((4, 4), np.float32)
        increment[(1,)](x, 8, BLOCK=8)
        increment[(1,)](matrix, 16, BLOCK=16)
        before = resident()
        for _ in range(50_000):
            increment[(1,)](x, 8, BLOCK=8)
            increment[(1,)](matrix, 16, BLOCK=16)
        self.assertLess(resident() - before, 512)

    def test_many_failures(self):
        x = np.zeros(8, np.float32)

        def fail():
            for wrong in (lambda: increment[(1,)](x, BLOCK=8), lambda: increment[(1,)](x, object(), 8),
                          lambda: increment[(1.5,)](x, 8, 8), lambda: increment[(1,)](x, 8, x)):
                try:
                    wrong()
                except Exception:
                    pass

        for _ in range(200):
            fail()
        gc.collect()
        before = resident()
        for _ in range(3000):
            fail()
        self.assertLess(resident() - before, 1024)

    def test_what_was_compiled_for_old_text_is_freed(self):
        @tilec.jit
        def kernel(x):
            tl.store(x, 0)

        x, gone = np.zeros(1, np.float32), []
        for i in range(3):
            kernel.src = f"def kernel(x):\n    tl.store(x, {i})\n"
            gone.append(weakref.ref(kernel[(1,)](x)))
            self.assertEqual(x[0], i)
            self.assertEqual(len(kernel.device_caches[0][0]), 1)
            self.assertEqual(len(kernel.device_caches["cpu"][0]), 1)  # as torch.cpu names it
        gc.collect()
        self.assertEqual([ref() is None for ref in gone], [True, True, False])

    def test_kernels_that_keep_their_own_launch_are_freed(self):
        def make():
            @tilec.jit
            def kernel(x):
                tl.store(x, 1)

            kernel.launch = kernel[(1,)]
            kernel.launch(np.zeros(1, np.float32))
            return weakref.ref(kernel)

        gone = make()
        gc.collect()
        self.assertIsNone(gone())

    def test_kernels_are_freed(self):
        def make():
            cst = tl.constexpr(3)

            @tilec.jit
            def kernel(x):
                tl.store(x, cst)

            return kernel

        kernel = make()
        compiled = weakref.ref(kernel[(1,)](np.zeros(1, np.float32)))
        gone = weakref.ref(kernel)
        del kernel
        gc.collect()
        self.assertIsNone(gone())
        self.assertIsNone(compiled())
        for _ in range(30):  # each with a file of its own
            make()[(1,)](np.zeros(1, np.float32))
        gc.collect()
        before = resident()
        for _ in range(200):
            make()[(1,)](np.zeros(1, np.float32))
        gc.collect()
        self.assertLess(resident() - before, 8 * 1024)


if __name__ == "__main__":
    unittest.main()
