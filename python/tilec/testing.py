"""triton.testing: times, tables and plots of them, comparisons.

Works with NumPy or PyTorch, whichever the program has; on GPUs by events through PyTorch.
"""

import math
import os
import statistics
import sys

from .runtime.driver import driver

_MODES = {"min": min, "max": max, "mean": statistics.mean, "median": statistics.median, "all": list}

# --- times -------------------------------------------------------------------------------------


def _quantile(times, q):
    """Linear between the two values next to the place."""
    if not 0 <= q <= 1:
        raise ValueError(f"a quantile lies between 0 and 1, which {q} does not")
    times = sorted(times)
    place = q * (len(times) - 1)
    low = math.floor(place)
    high = min(low + 1, len(times) - 1)
    return times[low] + (place - low) * (times[high] - times[low])


def _summary(times, quantiles, return_mode):
    if quantiles is None:
        return _MODES[return_mode](times)
    if not hasattr(quantiles, "__iter__"):
        raise TypeError(f"quantiles are a list, [0.2, 0.5, 0.8], not {quantiles!r}")
    found = [_quantile(times, q) for q in quantiles]
    return found[0] if len(found) == 1 else found


def _check_mode(return_mode):
    if return_mode not in _MODES:
        raise ValueError(f"return_mode is one of {', '.join(_MODES)}, not {return_mode!r}")


def _estimate(interface, fn, calls=5):
    """Milliseconds of one call, never 0."""
    start, end = (interface.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(calls):
        fn()
    end.record()
    interface.synchronize()
    return max(start.elapsed_time(end) / calls, 1e-6)


def _drop_gradients(tensors):
    for tensor in tensors or ():
        tensor.grad = None


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds of one call of `fn`.

    Calls it for about `warmup` milliseconds without looking and `rep` with a clock, at least once
    each; on a GPU with a second-level cache that has none of its data.  `quantiles` gives these, otherwise `return_mode`: "mean",
    "median", "min", "max", or "all" for a list.  The gradients of `grad_to_none` are dropped
    before each call.
    """
    _check_mode(return_mode)
    if not callable(fn):
        raise TypeError("do_bench calls a function, and this is what one gave: "
                        "do_bench(lambda: kernel[grid](...))")
    active = driver.active
    interface = active.get_device_interface()
    fn()
    interface.synchronize()
    estimate = _estimate(interface, fn)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    cache = active.get_empty_cache_for_benchmark()
    times = []
    for _ in range(max(1, int(rep / estimate))):
        _drop_gradients(grad_to_none)
        active.clear_cache(cache)
        start, end = (interface.Event(enable_timing=True) for _ in range(2))
        start.record()
        fn()
        end.record()
        times.append((start, end))
    interface.synchronize()
    return _summary([start.elapsed_time(end) for start, end in times], quantiles, return_mode)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds of one call of `fn`, replayed as a CUDA graph, without what the host costs; on
    the CPU as do_bench().
    """
    _check_mode(return_mode)
    if driver.active.get_current_target().backend != "cuda" or "torch" not in sys.modules:
        return do_bench(fn, 1, rep, grad_to_none, quantiles, return_mode)
    import torch

    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        for tensor in grad_to_none or ():
            tensor.detach_().requires_grad_(True)
        calls = max(1, int(rep / _estimate(torch.cuda, fn)))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(calls):
                _drop_gradients(grad_to_none)
                fn()
        times = [_estimate(torch.cuda, graph.replay, 1) / calls for _ in range(10)]
    return _summary(times, quantiles, return_mode)


# --- tables and plots ----------------------------------------------------------------------------


class Benchmark:
    """What perf_report() varies: the arguments `x_names` take `x_vals`, and `line_arg` takes
    `line_vals`, one line of the plot each; `args` stay.  An x of several names is a tuple, or one
    value for all.
    """

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args,
                 xlabel="", ylabel="", x_log=False, y_log=False, styles=None):
        self.x_names, self.x_vals = list(x_names), list(x_vals)
        self.line_arg, self.line_vals, self.line_names = line_arg, line_vals, line_names
        self.plot_name, self.args = plot_name, args
        self.xlabel, self.ylabel = xlabel, ylabel
        self.x_log, self.y_log, self.styles = x_log, y_log, styles

    def places(self):
        """The values of x_names, one tuple a row."""
        for x in self.x_vals:
            values = tuple(x) if isinstance(x, (list, tuple)) else (x,) * len(self.x_names)
            if len(values) != len(self.x_names):
                raise ValueError(f"{self.x_names} take {len(self.x_names)} values, not {x}")
            yield values


class Table:
    """Rows of a benchmark under their names, where pandas is not there."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows

    def to_csv(self, path, float_format="%.6f", index=False):
        with open(path, "w") as file:
            for row in [self.columns] + self.rows:
                file.write(",".join(float_format % v if isinstance(v, float) else str(v)
                                    for v in row) + "\n")

    def __str__(self):
        def text(value):
            return f"{value:.6f}" if isinstance(value, float) else str(value)

        cells = [[""] + [str(c) for c in self.columns]]
        cells += [[str(i)] + [text(v) for v in row] for i, row in enumerate(self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        return "\n".join("  ".join(c.rjust(w) for c, w in zip(row, widths)) for row in cells)

    __repr__ = __str__


def _table(columns, rows):
    try:
        import pandas
    except ImportError:
        return Table(columns, rows)
    return pandas.DataFrame(rows, columns=columns)


class Mark:
    """A function with benchmarks, as perf_report() makes it."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Measure; print tables, write CSV, HTML and (with matplotlib) PNG files into `save_path`,
        show plots.  With `return_df` the tables, one or a list as the benchmarks are.
        """
        several = isinstance(self.benchmarks, (list, tuple))
        tables = [self._run(b, show_plots, print_data, save_path, **kwargs)
                  for b in (self.benchmarks if several else [self.benchmarks])]
        if save_path:
            images = sorted(name for name in os.listdir(save_path) if name.endswith(".png"))
            with open(os.path.join(save_path, "results.html"), "w") as file:
                file.write("<html><body>\n" + "".join(
                    f'<img src="{name}"/>\n' for name in images) + "</body></html>\n")
        if return_df:
            return tables if several else tables[0]
        return None

    def _run(self, bench, show_plots, print_data, save_path, diff_col=False, save_precision=6,
             **kwargs):
        labels = [f"{name} ({bench.ylabel})" if bench.ylabel else str(name)
                  for name in bench.line_names]
        rows, spans = [], []
        for place in bench.places():
            given = dict(zip(bench.x_names, place))
            found = [self._three(self.fn(**given, **{bench.line_arg: v}, **bench.args, **kwargs))
                     for v in bench.line_vals]
            rows.append(list(place) + [f[0] for f in found])
            spans.append([f[1:] for f in found])
        columns = bench.x_names + labels
        if bench.plot_name and (show_plots or save_path):
            self._plot(bench, labels, rows, spans, show_plots, save_path)
        if diff_col and len(labels) == 2:
            columns = columns + ["Diff"]
            rows = [row + [row[-1] - row[-2]] for row in rows]
        table = _table(columns, rows)
        if print_data:
            print(bench.plot_name + ":")
            print(table.to_string() if hasattr(table, "to_string") else table)
        if save_path:
            os.makedirs(save_path, exist_ok=True)
            table.to_csv(os.path.join(save_path, f"{bench.plot_name}.csv"),
                         float_format=f"%.{save_precision}f", index=False)
        return table

    @staticmethod
    def _three(value):
        """Middle, least and greatest of what a benchmarked function gives."""
        return tuple(value) if isinstance(value, (list, tuple)) else (value, None, None)

    @staticmethod
    def _plot(bench, labels, rows, spans, show_plots, save_path):
        try:
            import matplotlib
        except ImportError:
            print("no plot: matplotlib is not installed", file=sys.stderr)
            return
        if not show_plots:
            matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots()
        x = [row[0] for row in rows]
        first = len(bench.x_names)
        for i, label in enumerate(labels):
            color, style = bench.styles[i] if bench.styles else (None, None)
            line, = axes.plot(x, [row[first + i] for row in rows], label=label, color=color,
                              ls=style)
            if all(span[i][0] is not None for span in spans):
                axes.fill_between(x, [s[i][0] for s in spans], [s[i][1] for s in spans],
                                  alpha=0.15, color=line.get_color())
        axes.legend()
        axes.set(xlabel=bench.xlabel or bench.x_names[0], ylabel=bench.ylabel,
                 xscale="log" if bench.x_log else "linear",
                 yscale="log" if bench.y_log else "linear")
        if save_path:
            os.makedirs(save_path, exist_ok=True)
            figure.savefig(os.path.join(save_path, f"{bench.plot_name}.png"))
        if show_plots:
            plt.show()
        plt.close(figure)


def perf_report(benchmarks):
    """Decorator: a function that measures one point becomes a Mark over one Benchmark or several."""
    return lambda fn: Mark(fn, benchmarks)


# --- comparisons -------------------------------------------------------------------------------


def _as_numpy(value):
    """An array of a dtype that NumPy computes in."""
    import numpy

    value = getattr(value, "base", value) if type(value).__name__ == "TensorWrapper" else value
    if hasattr(value, "detach"):
        value = value.detach()
        if value.dtype.is_floating_point and value.element_size() < 4:
            value = value.float()
        value = value.cpu().numpy()
    value = numpy.asarray(value)
    return value.astype(numpy.float32) if value.dtype == numpy.float16 else value


def _tolerance(given, value, default):
    if given is None:
        return default
    return given(value.dtype) if callable(given) else given


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raise an AssertionError that shows where they differ, unless |x - y| <= atol + rtol * |y|
    everywhere; NaN equals NaN.  `atol` is 1e-2 by default, `rtol` 0; a function gets the dtype.
    """
    import numpy

    atol, rtol = _tolerance(atol, x, 1e-2), _tolerance(rtol, x, 0.0)
    numpy.testing.assert_allclose(_as_numpy(x), _as_numpy(y), atol=atol, rtol=rtol,
                                  equal_nan=True, err_msg=err_msg)


def allclose(x, y, atol=None, rtol=None):
    """Would assert_close() be content?  The defaults are 1e-2 and 0, too."""
    import numpy

    x_, y_ = _as_numpy(x), _as_numpy(y)
    return x_.shape == y_.shape and bool(numpy.allclose(
        x_, y_, atol=_tolerance(atol, x, 1e-2), rtol=_tolerance(rtol, x, 0.0), equal_nan=True))


# --- figures of the device, for those who compute rooflines -------------------------------------------

# operations that a quarter of a multiprocessor does in a clock, by bits of the dtype: of sm_80, whose
# figures Triton's functions of these names give for all later ones, too
_TENSOR_OPS = {32: 256, 16: 512, 8: 1024}
_SIMD_OPS = {32: 32, 16: 64}



def nvsmi(attrs):
    """What nvidia-smi says of the first GPU for each of `attrs`, as integers."""
    import subprocess

    out = subprocess.check_output(["nvidia-smi", "-i", "0", "--query-gpu=" + ",".join(attrs),
                                   "--format=csv,noheader,nounits"], text=True)
    return [int(value) for value in out.split(",")]


def _tflops(operations, dtype, clock_rate, device):
    from .language.types import dtype_of

    bits = dtype_of(dtype).primitive_bitwidth
    if bits not in operations:
        raise ValueError(f"there is no figure for {dtype}")
    found = driver.active.utils.get_device_properties(device or 0)
    return found["multiprocessor_count"] * 4 * clock_rate * operations[bits] * 1e-9


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """What the tensor cores do in theory at `clock_rate` kHz, in TFLOP/s."""
    return _tflops(_TENSOR_OPS, dtype, clock_rate, device)


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """What the other units do in theory at `clock_rate` kHz, in TFLOP/s."""
    return _tflops(_SIMD_OPS, dtype, clock_rate, device)


def get_dram_gbps(device=None):
    """The memory's bandwidth by its clock and width, in GB/s."""
    found = driver.active.utils.get_device_properties(device or 0)
    return found["mem_clock_rate"] * found["mem_bus_width"] * 2 / 1e6 / 8
