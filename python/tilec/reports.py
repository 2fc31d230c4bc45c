"""kernel.report(...): the page of `tilec report` for a launch, which shows itself in a notebook."""

import os

from .shown import frame
from .told import Told


class Report:
    """`html` is the page, `text` what matters most of it; a notebook shows the page."""

    def __init__(self, name, html, text):
        self.name, self.html, self.text = name, html, text

    def save(self, path):
        """Write the page, which needs no other file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self):
        return frame(self.html, f"report of {self.name}")

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<report of {self.name}: print() shows the essence, save(path) writes the page>"


def report(kernel, grid, args, kwargs):
    with Told(kernel, grid, args, kwargs) as told:
        text = told.run("report", "--quiet", "--text", "-o", "page.html")
        with open(os.path.join(told.folder, "page.html"), encoding="utf-8") as file:
            return Report(kernel.__name__, file.read(), text)
