"""profile(): where the time of kernels goes, by the lines of their source.

    with tilec.profile() as p:
        for _ in range(100):
            kernel[grid](x, y, n, BLOCK=1024)
    print(p)

Samples are those of `tilec run --profile`: of what the threads that run programs on the CPU do, at even steps of
their time.  Kernels are compiled once more for it, with the lines that their instructions are from; the
instructions are the same.  Of the device "cuda" samples are cycles of warps, which the code notes itself; of "interp" it
is how long each line took in the interpreter.
"""

import linecache

from . import _core


class Line:
    """What was seen of one line; `file` is None for code of no line: launching, and threads that wait."""

    def __init__(self, file, line, samples, clock, cycles, instructions, cache_misses):
        self.file, self.line, self.samples, self.clock = file, line, samples, clock
        self.cycles, self.instructions, self.cache_misses = cycles, instructions, cache_misses
        self.share = 0.0

    @property
    def source(self):
        return linecache.getline(self.file, self.line).strip() if self.file else "launching, waiting"

    def __repr__(self):
        place = f"{self.file}:{self.line}" if self.file else "-"
        return f"<{place} {100 * self.share:.1f}% {self.source}>"


class profile:
    """Launches inside of `with` are looked at, of one device, one profile at a time; behind it there are
    `lines`, the one with the largest share first, and `samples`, how many there were.
    """

    def __init__(self, device=None):
        self.device = device
        self.lines = []
        self.samples = 0

    def __enter__(self):
        _core.profile_start(self.device)
        return self

    def __exit__(self, *_):
        self.lines = [Line(*told) for told in _core.profile_stop(self.device)]
        self.lines = sorted((x for x in self.lines if x.samples), key=lambda x: -x.samples)
        self.samples = sum(x.samples for x in self.lines)
        for line in self.lines:
            line.share = line.samples / self.samples

    def _repr_html_(self):
        from .shown import Cell, table

        return table([Cell("line", left=True), "share", ""], [
            [Cell(f"{x.file.rpartition('/')[2]}:{x.line}" if x.file else "-", left=True),
             f"{100 * x.share:.1f}%", Cell(x.source, left=True)] for x in self.lines])

    def __str__(self):
        rows = [(f"{x.file.rpartition('/')[2]}:{x.line}" if x.file else "-", f"{100 * x.share:.1f}%",
                 x.source) for x in self.lines]
        width = max((len(place) for place, _, _ in rows), default=4)
        text = "".join(f"{place:<{width}}  {share:>6}  {source}\n" for place, share, source in rows)
        clock = self.lines[0].clock if self.lines else "no clock"
        return f"{'line':<{width}}   share\n{text}{self.samples} samples by {clock}"
