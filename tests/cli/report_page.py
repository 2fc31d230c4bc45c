"""What must hold of a page that `tilec report` has written.

    report_page.py FILE.html WORD...

It is well-formed, as HTML and as XML, loads nothing, ids are there once and what refers to them finds them, and
each line of a stage is tied to lines of the source that are there.  A WORD is a text that it has, or `stage=TITLE`,
`column=TITLE`, `number=TITLE`, `rule=NAME`.
"""
import html.parser
import re
import sys
import xml.etree.ElementTree

EMPTY = {"meta", "link", "br"}
problems = []


class Page(html.parser.HTMLParser):
    """Elements with the attributes and the text that each has by itself."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.version = [], [], None
        self.feed(text)
        self.close()
        if self.open:
            problems.append(f"not closed: {[e['tag'] for e in self.open]}")

    def add(self, tag, attributes):
        element = {"tag": tag, "text": "", "all": "", **dict(attributes)}
        if tag == "section" and element.get("class") == "version":
            self.version = element["id"]
        element["version"] = self.version
        self.elements.append(element)
        return element

    def handle_starttag(self, tag, attrs):
        element = self.add(tag, attrs)
        if tag not in EMPTY:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.add(tag, attrs)

    def handle_endtag(self, tag):
        if tag in EMPTY:
            return
        if not self.open or self.open[-1]["tag"] != tag:
            problems.append(f"line {self.getpos()[0]}: </{tag}> closes {self.open[-1]['tag'] if self.open else 'nothing'}")
            return
        done = self.open.pop()
        if self.open:
            self.open[-1]["all"] += done["all"]

    def handle_data(self, data):
        if self.open:
            self.open[-1]["text"] += data
            self.open[-1]["all"] += data


def check_ids(elements):
    ids = [e["id"] for e in elements if "id" in e]
    for name in {name for name in ids if ids.count(name) > 1}:
        problems.append(f"the id {name} is there twice")
    for e in elements:
        for attribute in ("aria-labelledby", "aria-controls", "for", "href"):
            wanted = e.get(attribute, "")
            if attribute == "href":
                if not wanted.startswith("#"):
                    continue
                wanted = wanted[1:]
            problems.extend(f"{attribute} names {name}, which is not there" for name in wanted.split() if name not in ids)


def check_loads(elements, text):
    for e in elements:
        for attribute in ("src", "href", "srcset", "data", "action"):
            value = e.get(attribute)
            if value is not None and not value.startswith("#") and value != "data:,":
                problems.append(f"<{e['tag']} {attribute}={value}>")
    for found in re.findall(r"(?:https?:)?//[a-z][^\s\"'<]*\.[a-z]+|url\(|@import|\bimport\(|\bfetch\(", text):
        problems.append(f"it may load something: {found}")


def check_lines(elements):
    rows = {(e["version"], e["data-l"]) for e in elements if e["tag"] == "tr" and "data-l" in e}
    lines = [e for e in elements if e["tag"] == "div" and "data-l" in e]
    if not rows or not lines:
        problems.append(f"{len(rows)} lines of source, {len(lines)} of stages")
    for e in lines:
        problems.extend(f"a line is of {key}, which the source lacks" for key in e["data-l"].split() if (e["version"], key) not in rows)
    for e in elements:
        if e["tag"] == "tr" and "data-l" in e and e["id"] != f"{e['version']}-{e['data-l']}":
            problems.append(f"the row of {e['data-l']} is called {e['id']}")


def check_words(elements, words):
    stages = {e["data-title"]: e for e in elements if e.get("class") == "stage"}
    have = {
        "stage": set(stages),
        "column": {e["text"] for e in elements if e.get("class") == "heat"},
        "number": {e["text"] for e in elements if e["tag"] == "dt"},
        "rule": {e["data-rule"] for e in elements if "data-rule" in e},
    }
    text = "".join(e["text"] + "\n" for e in elements if e["tag"] not in ("script", "style"))
    for word in words:
        kind, _, name = word.partition("=")
        if name not in have[kind] if kind in have else word not in text:
            problems.append(f"no {word}; there is {sorted(have[kind])}" if kind in have else f"no {word}")


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        text = f.read()
    xml.etree.ElementTree.fromstring(text.split("\n", 1)[1])  # behind the doctype
    elements = Page(text).elements
    check_ids(elements)
    check_loads(elements, text)
    check_lines(elements)
    check_words(elements, sys.argv[2:])
    if 'a<b&"c".py' not in "".join(e["text"] for e in elements):
        problems.append("the file's name is not as it is")
    if text.count("</script>") != 1:
        problems.append("a value ends the script")
    print("; ".join(problems[:5]))
    sys.exit(bool(problems))


main()
