"""HTML of what notebooks show: tables and pages.  No scripts, nothing from elsewhere."""

import html

_STYLE = "text-align:right;vertical-align:top;padding:1px 8px;font-family:monospace"
_LEFT = _STYLE.replace("right", "left") + ";white-space:pre"
_FAINT = ";opacity:0.45"


class Cell:
    """A text of a table: at the left, faint, or HTML already."""

    def __init__(self, text, left=False, faint=False, is_html=False):
        self.text, self.left, self.faint, self.is_html = text, left, faint, is_html


def _cell(tag, cell):
    cell = cell if isinstance(cell, Cell) else Cell(cell)
    style = (_LEFT if cell.left else _STYLE) + (_FAINT if cell.faint else "")
    text = cell.text if cell.is_html else html.escape(str(cell.text))
    return f'<{tag} style="{style}">{text}</{tag}>'


def table(head, rows):
    """Of titles, and of rows of texts or Cells."""
    lines = ["<tr>" + "".join(_cell("th", c) for c in head) + "</tr>"] if head else []
    lines += ["<tr>" + "".join(_cell("td", c) for c in row) + "</tr>" for row in rows]
    return '<table style="border-collapse:collapse">' + "\n".join(lines) + "</table>"


def folded(summary, inside):
    """A line that unfolds."""
    return f"<details><summary>{html.escape(summary)}</summary>{inside}</details>"


def frame(page, title):
    """A page in a page."""
    return (f'<iframe title="{html.escape(title)}" srcdoc="{html.escape(page)}" '
            'style="width:100%;height:42em;border:1px solid #8886"></iframe>')
