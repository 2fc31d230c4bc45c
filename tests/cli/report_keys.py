"""A page of `tilec report` by the keyboard alone: Tab comes to all that can be used, and one sees where one is.

    report_keys.py BROWSER FOLDER PAGE.html
"""
import os
import sys

from browser import SHIFT, Browser

MOST = 200
HERE = """(() => {
    const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
    return e === document.body ? null : {
        number: [...document.querySelectorAll('*')].indexOf(e), name: e.tagName + ' ' + e.className,
        seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
        inside: box.width > 0 && box.bottom > 0 && box.top < innerHeight,
    };
})()"""
# what can be used: of rows and of tabs one, from which arrow keys go on
USED = """[...document.querySelectorAll('button, a[href], input, summary, [tabindex="0"]')]
    .filter(e => e.tabIndex >= 0 && e.checkVisibility()).map(e => [...document.querySelectorAll('*')].indexOf(e))"""
problems = []


def check(what, good):
    if not good:
        problems.append(what)


def tour(browser):
    """What Tab comes to from the beginning of the page, up to its end."""
    stops = []
    while len(stops) < MOST:
        browser.press("Tab")
        here = browser.value(HERE)
        if not here or here["number"] in [s["number"] for s in stops]:
            break
        stops.append(here)
    for stop in stops:
        check(f"{stop['name']} is not seen to have the focus", stop["seen"])
        check(f"{stop['name']} has the focus out of sight", stop["inside"])
    check("not all can be reached", {s["number"] for s in stops} == set(browser.value(USED)))
    check(f"{len(stops)} stops", 10 < len(stops) < MOST)


def go_to(browser, selector):
    for _ in range(MOST):
        browser.press("Tab")
        if browser.value(f"document.activeElement.matches('{selector}')"):
            return
    check(f"Tab does not come to {selector}", False)


def names(browser):
    """What a reader of the screen says of each."""
    for node in browser.ask("Accessibility.getFullAXTree")["nodes"]:
        is_reached = any(p["name"] == "focusable" and p["value"]["value"] for p in node.get("properties", []))
        if is_reached and not node["ignored"]:
            check(f"a {node['role']['value']} has no name", node.get("name", {}).get("value", "").strip())


def pins(browser):
    """A line of the source, and from a line of a stage the one that it is of."""
    pinned = "document.querySelectorAll('.explorer')[0].querySelectorAll('tr.pinned, .lines .pinned').length"
    browser.value("document.activeElement.blur()")
    go_to(browser, "tr[data-l]")
    browser.press("ArrowDown")
    browser.press("Enter")
    check("Enter pins no line of the source", browser.value(pinned) > 1)
    browser.press("Escape")
    check("Escape lets none go", browser.value(pinned) == 0)
    go_to(browser, ".lines")
    browser.press("ArrowDown")
    browser.press("Enter")
    check("Enter pins no line of a stage", browser.value(pinned) > 1)
    browser.press("Tab", SHIFT)
    check("Shift and Tab do not go back", browser.value("document.activeElement.matches('.lines')"))


def main():
    browser = Browser(*sys.argv[1:3])
    try:
        browser.open("file://" + os.path.abspath(sys.argv[3]))
        tour(browser)
        names(browser)
        pins(browser)
        check(f"it complains: {browser.complaints()}", not browser.complaints())
    finally:
        browser.close()
    print("; ".join(list(dict.fromkeys(problems))[:5]))
    sys.exit(bool(problems))


main()
