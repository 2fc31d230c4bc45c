"""Editors' sessions with `tilec debug --dap`: what they ask for, what they see, and what they do wrong.

    sessions.py TILEC SOURCE
"""

import json
import os
import random
import re
import sys
import tempfile

from client import Client

TILEC = os.path.abspath(sys.argv[1])
FOLDER = tempfile.TemporaryDirectory()
PROGRAM = os.path.join(FOLDER.name, "k.py")
KERNELS = """import triton
import triton.language as tl


@triton.jit
def centre(v, inside):
    mean = tl.sum(tl.where(inside, v, 0.0)) * 0.5
    return v - mean


@triton.jit
def rows(out, x, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * stride + at, mask=inside, other=-1.0)
    centred = centre(v, inside)
    tl.device_print("row", row)
    tl.store(out + row * columns + at, tl.log(centred), mask=inside)


@triton.jit
def square(out, x, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at, mask=at != 3, other=-1.0)
    tl.store(out + at, 2 * v)


@triton.jit
def count(out, rounds):
    n = tl.program_id(0)
    for i in range(rounds):
        n = n + 1
    tl.store(out + tl.program_id(0), n)


@triton.jit
def meet(out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, at + tl.program_id(0))
"""
ROWS = ["--grid", "3", "x=arange(fp32,3x5)", "out=empty(fp32,3x5)", "columns=5", "stride=5", "BLOCK=8"]


def client():
    return Client(TILEC, FOLDER.name)


def rows(c, breaks=(), stride=5, **more):
    args = [f"stride={stride}" if a.startswith("stride") else a for a in ROWS]
    return c.launch(PROGRAM, "rows", args, breaks, **more)


# --- the way of a session ---


def test_breakpoints_and_steps():
    with client() as c:
        (found,) = rows(c, [16])
        assert found["verified"] and found["line"] == 16 and found["source"]["path"] == PROGRAM
        stop = c.stopped("breakpoint")
        assert stop["hitBreakpointIds"] == [found["id"]] and stop["allThreadsStopped"]
        assert stop["threadId"] == 1
        assert [t["name"] for t in c.ask("threads")["threads"]] == [f"program ({i}, 0, 0)" for i in range(3)]
        assert c.where(1) == "rows:16"
        assert c.move("next", 1) == "rows:17"
        assert c.move("stepIn", 1) == "centre:7 rows:17"
        assert c.move("stepIn", 1) == "centre:8 rows:17"
        assert c.move("stepBack", 1) == "centre:7 rows:17"
        assert c.move("stepOut", 1) == "rows:18"
        assert c.move("stepBack", 1) == "centre:8 rows:17"
        assert c.move("stepOut", 1) == "rows:18"
        c.ask("next", threadId=1)
        assert c.event("output") == {"category": "stdout", "output": "(0, 0, 0) row: 0\n"}
        assert c.where(c.stopped("step")["threadId"]) == "rows:19"
        assert c.move("continue", 1, "breakpoint") == "rows:16"
        assert c.move("reverseContinue", 2, "breakpoint") == "rows:16"
        assert c.where(1) == "rows:16" and c.where(2) == "rows (has not begun):12"
        c.ask("setBreakpoints", source={"path": PROGRAM}, breakpoints=[])
        c.ask("continue", threadId=1)
        assert c.event("output")["output"] == "(1, 0, 0) row: 1\n"  # 0 was told before
        assert c.event("output")["output"] == "(2, 0, 0) row: 2\n"
        c.ends()


def test_entry_and_end():
    with client() as c:
        rows(c, stopOnEntry=True, stopAtEnd=True)
        assert c.where(c.stopped("entry")["threadId"]) == "rows:13"
        assert "where the launch begins" in c.refused("stepBack", threadId=1)
        c.ask("continue", threadId=1)
        for row in range(3):
            assert c.event("output")["output"] == f"({row}, 0, 0) row: {row}\n"
        c.stopped("end")
        assert c.where(3) == "rows (has ended):12"
        assert c.value("out[1,4]") == "nan" and "nan 15" in c.scope(3, "Arrays")["out"]["value"]
        assert "no names are left" in c.refused("evaluate", expression="row")
        assert c.move("stepBack", 3) == "rows:19"
        c.ask("next", threadId=3)
        c.stopped("end")
        c.ask("next", threadId=3)
        c.ends()


def test_pictures():
    with client() as c:
        rows(c, [16], stride=4, stopAtEnd=True)
        c.stopped("breakpoint")

        def picture(words):
            answer = c.ask("evaluate", expression="picture " + words, context="repl")
            assert answer["type"] == "picture" and answer["variablesReference"] == 0
            return answer["result"].split("\n")

        assert picture("x access now")[:4] == ["x: fp32 3x5, up to here", "  .....", "  .....", "  ....."]
        assert c.move("next", 1) == "rows:17"
        assert picture("x access now")[1:4] == ["  rrrrr", "  .....", "  ....."]
        assert picture("x access")[0] == "x: fp32 3x5" and picture("x access")[1:4] == ["  rrrrR", "  rrrRr", "  rrr.."]
        assert picture("x  programs program 1")[1:4] == ["  ....1", "  1111.", "  ....."]
        c.ask("setBreakpoints", source={"path": PROGRAM}, breakpoints=[])
        c.ask("continue", threadId=1)
        for _ in range(3):
            c.event("output")
        c.stopped("end")
        assert picture("out access now program")[1:4] == ["  .....", "  .....", "  wwwww"]
        for words, why in (("nothing access", "`nothing` is no array"), ("x access program 3", "no program of the grid"),
                           ("x", "picture x access now")):
            assert why in c.refused("evaluate", expression="picture " + words, context="repl"), words
        assert "no names are left" in c.refused("evaluate", expression="picture x access", context="hover")
        c.ask("disconnect")


def test_terminate_and_disconnect():
    with client() as c:
        rows(c, [16])
        c.stopped("breakpoint")
        c.ask("terminate")
        assert c.event("exited")["exitCode"] == 0
        c.event("terminated")
        assert c.ask("threads")["threads"] == []
        assert "is over" in c.refused("stackTrace", threadId=1)
        c.ask("disconnect")
    with client() as c:
        rows(c, [16])
        c.stopped("breakpoint")
        c.ask("disconnect")
    with client() as c:
        c.ask("initialize")
        c.ask("disconnect")
    with client() as c:  # it just leaves
        rows(c, [16])
        c.stopped("breakpoint")


def test_programs():
    with client() as c:
        c.launch(PROGRAM, "count", ["--grid", "5000", "out=zeros(i32,5000)", "rounds=0"], threads=10,
                 stopOnEntry=True)
        c.stopped("entry")
        assert [t["id"] for t in c.ask("threads")["threads"]] == list(range(1, 11))
        assert c.move("next", 4001, "goto") == "count:31"
        assert [t["id"] for t in c.ask("threads")["threads"]] == [*range(1, 11), 4001]
        assert c.value("tl.program_id(0)") == "4000" and c.value("tl.num_programs(0)") == "5000"
        assert c.where(1) == "count (has ended):30" and c.where(4002) == "count (has not begun):30"
        assert "does not stand in this program" in c.refused(
            "evaluate", expression="n",
            frameId=c.ask("stackTrace", threadId=1)["stackFrames"][0]["id"])
        assert c.move("stepIn", 7, "goto") == "count:31"
        assert c.move("next", 7) == "count:32"
        assert "no thread 5001" in c.refused("next", threadId=5001)
        c.ask("disconnect")


def test_pause():
    with client() as c:  # it would run for years
        c.launch(PROGRAM, "count", ["--grid", "2", "out=zeros(i32,2)", "rounds=2000000000"], [31])
        c.stopped("breakpoint")
        c.ask("continue", threadId=1)
        assert "pause it first" in c.refused("stackTrace", threadId=1)
        c.ask("pause", threadId=1)
        assert c.where(c.stopped("pause")["threadId"]) in ("count:32", "count:33")
        c.ask("continue", threadId=1)
        c.ask("setBreakpoints", source={"path": PROGRAM}, breakpoints=[{"line": 33}])  # while it runs
        assert c.where(c.stopped("breakpoint")["threadId"]) == "count:33"
        c.ask("setBreakpoints", source={"path": PROGRAM}, breakpoints=[])
        c.ask("continue", threadId=1)
        c.ask("terminate")
        c.ends()


# --- reasons to stop ---


def test_conditions():
    with client() as c:
        found = rows(c, [{"line": 17, "condition": "row == 1"},
                         {"line": 19, "condition": "tl.program_id(0) == tl.num_programs(0) - 1"}, 18,
                         {"line": 10}, {"line": 11}])
        assert [b["line"] for b in found[:3]] == [17, 19, 18] and not found[3]["verified"]
        c.ask("setBreakpoints", source={"path": PROGRAM},
              breakpoints=[{"line": 17, "condition": "row == 1"},
                           {"line": 19, "condition": "tl.program_id(0) == tl.num_programs(0) - 1"}])
        c.event("stopped")  # in line 13, which line 11 stands for
        c.ask("continue", threadId=1)
        assert c.event("output")["output"] == "(0, 0, 0) row: 0\n"
        assert c.stopped("breakpoint")["threadId"] == 2
        c.ask("continue", threadId=2)
        c.event("output")
        c.event("output")
        assert c.where(c.stopped("breakpoint")["threadId"]) == "rows:19"
        c.ask("disconnect")


def test_logs_and_hits():
    with client() as c:
        found = rows(c, [{"line": 19, "logMessage": "row {row} of {tl.num_programs(0)}"},
                         {"line": 14, "hitCondition": ">= 3"}, {"line": 15, "hitCondition": "often"}])
        assert [b["verified"] for b in found] == [True, True, False] and "a number of hits" in found[2]["message"]
        said = [c.event("output")["output"] for _ in range(4)]
        assert said == ["(0, 0, 0) row: 0\n", "row 0 of 3\n", "(1, 0, 0) row: 1\n", "row 1 of 3\n"]
        assert c.stopped("breakpoint")["threadId"] == 3
        c.ask("disconnect")


def test_wrong_breakpoints():
    with client() as c:
        found = rows(c, [400, {"line": 17, "condition": "rwo == 1"}, {"line": 19, "logMessage": "{row >}"},
                         {"line": 19, "condition": "tl.load(out + row - 9) > 0"}])
        assert not found[0]["verified"] and "no statement" in found[0]["message"]
        assert not found[1]["verified"] and "`rwo` is not defined\n    rwo == 1\n    ^~~" in found[1]["message"]
        assert not found[2]["verified"] and "not complete" in found[2]["message"]
        assert found[3]["verified"]  # what is wrong there only the values say
        c.event("output")
        output = c.event("output")
        assert output["category"] == "stderr" and "outside of its shape" in output["output"], output
        c.stopped("breakpoint")  # what cannot be asked is better seen
        other = c.ask("setBreakpoints", source={"path": "/nowhere.py"}, breakpoints=[{"line": 1}])
        assert not other["breakpoints"][0]["verified"]
        found = c.ask("setFunctionBreakpoints", breakpoints=[{"name": "centre"}, {"name": "nobody"}])
        assert [b["verified"] for b in found["breakpoints"]] == [True, False]
        assert c.move("continue", 1, "breakpoint") == "centre:7 rows:17"
        c.ask("disconnect")


# --- the configuration of docs/debugging.md ---


def blocks(kind):
    """What stands in the document in blocks of that kind."""
    with open(os.path.join(sys.argv[2], "docs", "debugging.md"), encoding="utf-8") as file:
        return re.findall(rf"^```{kind}\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)


def test_configuration_of_vscode():
    """What the extension declares is what the launch configuration has, and that leads somewhere."""
    extension, launches = map(json.loads, blocks("json"))
    (adapter,) = extension["contributes"]["debuggers"]
    (launch,) = launches["configurations"]
    assert adapter["args"] == ["debug", "--dap"] and adapter["type"] == launch["type"]
    attributes = adapter["configurationAttributes"][launch["request"]]
    types = {"string": str, "boolean": bool, "number": int, "array": list}
    given = {name: value for name, value in launch.items() if name not in ("type", "request", "name")}
    assert set(attributes["required"]) <= set(given) <= set(attributes["properties"])
    for name, value in given.items():
        assert isinstance(value, types[attributes["properties"][name]["type"]]), name
    (kernel,) = blocks("python scale.py")
    program = os.path.join(FOLDER.name, "scale.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(kernel)
    assert given.pop("program") == "${file}"
    with client() as c:
        (found,) = c.launch(program, breaks=[9], **given)
        assert found["verified"]
        assert c.where(c.stopped("breakpoint")["threadId"]) == "scale:9"
        c.ask("setBreakpoints", source={"path": program}, breakpoints=[])
        c.ask("continue", threadId=1)
        c.stopped("end")
        assert c.value("out[1,0]") == "-1.4142135"
        c.ask("disconnect")


def test_lines_from_zero():
    with client() as c:
        c.ask("initialize", linesStartAt1=False, columnsStartAt1=False)
        c.ask("launch", program=PROGRAM, kernel="rows", args=ROWS)
        c.event("initialized")
        (found,) = c.ask("setBreakpoints", source={"path": PROGRAM}, breakpoints=[{"line": 15}])["breakpoints"]
        assert found["line"] == 15
        c.ask("configurationDone")
        c.stopped("breakpoint")
        (frame,) = c.ask("stackTrace", threadId=1)["stackFrames"]
        assert (frame["line"], frame["column"]) == (15, 4)
        c.ask("disconnect")


def test_watched_elements():
    with client() as c:
        rows(c, [16])
        c.stopped("breakpoint")
        out = c.scope(1, "Arrays")["out"]
        row = c.ask("variables", variablesReference=out["variablesReference"])["variables"][1]
        info = c.ask("dataBreakpointInfo", variablesReference=row["variablesReference"], name="[1,3]")
        assert info["dataId"] == "out[1,3]" and info["accessTypes"] == ["write"]
        assert c.ask("dataBreakpointInfo", name="out[2,0]")["dataId"] == "out[2,0]"
        for name in ("row", "out", "out[9,9]"):
            assert c.ask("dataBreakpointInfo", name=name)["dataId"] is None
        found = c.ask("setDataBreakpoints", breakpoints=[{"dataId": "out[1,3]", "accessType": "write"},
                                                         {"dataId": "v[0]"}])["breakpoints"]
        assert [b["verified"] for b in found] == [True, False]
        c.ask("setBreakpoints", source={"path": PROGRAM}, breakpoints=[])
        c.ask("continue", threadId=1)
        c.event("output")
        c.event("output")
        stop = c.stopped("data breakpoint")
        assert stop["hitBreakpointIds"] == [found[0]["id"]] and stop["threadId"] == 2
        assert "k.py:19: out[1,3] was nan, now " in stop["text"]
        c.ask("setDataBreakpoints", breakpoints=[])
        c.ask("continue", threadId=2)
        c.event("output")
        c.ends()


def test_caught():
    with client() as c:
        rows(c, stopOnEntry=True)
        c.stopped("entry")
        assert "no exception is why" in c.refused("exceptionInfo", threadId=1)
        c.ask("setExceptionBreakpoints", filters=["nan"])
        assert "they are nan and inf" in c.refused("setExceptionBreakpoints", filters=["zero"])
        c.ask("continue", threadId=1)
        c.event("output")
        assert "`log` makes NaN: 8 of 8 elements, the first at [0]" in c.stopped("exception")["text"]
        assert c.ask("exceptionInfo", threadId=1)["breakMode"] == "always"
        c.ask("setExceptionBreakpoints", filters=[], filterOptions=[{"filterId": "inf"}])
        c.ask("disconnect")


def test_fault():
    with client() as c:
        rows(c, stride=6)
        c.event("output")
        c.event("output")
        stop = c.stopped("exception")
        assert "load of x[3, 0] is outside of its shape (3, 5)" in stop["text"]
        info = c.ask("exceptionInfo", threadId=3)
        assert info["breakMode"] == "unhandled" and "outside" in info["description"]
        assert c.where(3) == "rows:16"
        assert c.move("stepBack", 3) == "rows:16"  # where its statement begins
        assert c.move("stepBack", 3) == "rows:15"
        assert c.move("next", 3) == "rows:16"
        c.ask("next", threadId=3)
        c.stopped("exception")
        c.ask("continue", threadId=3)
        c.ends(1)


def test_race():
    with client() as c:
        c.launch(PROGRAM, "meet", ["--grid", "2", "out=zeros(i32,4)", "N=4", "--check"])
        stop = c.stopped("exception")
        assert "race: store to out[1], which program (0, 0, 0)" in stop["text"] and stop["threadId"] == 2
        assert c.where(2) == "meet:40"
        assert c.move("stepBack", 2) == "meet:40"
        assert c.move("stepBack", 2) == "meet:39"
        assert c.move("continue", 2, "exception") == "meet:40"
        c.ask("disconnect")


def test_without_debugging():
    with client() as c:
        rows(c, [16], noDebug=True, stopOnEntry=True, stopAtEnd=True)
        for row in range(3):
            assert c.event("output")["output"] == f"({row}, 0, 0) row: {row}\n"
        c.ends()
    with client() as c:
        rows(c, stride=6, noDebug=True)
        c.event("output")
        c.event("output")
        told = c.event("output")
        assert told["category"] == "stderr" and "outside of its shape (3, 5)" in told["output"]
        c.ends(1)


# --- values ---


def test_names():
    with client() as c:
        rows(c, [8, 18])
        c.stopped("breakpoint")
        names = c.scope(1, "Names")
        assert names["mean"]["value"] == "5." and names["mean"]["type"] == "fp32"
        outer = c.scope(1, "Names", frame=1)
        assert outer["BLOCK"] == {"name": "BLOCK", "value": "8", "type": "constexpr", "evaluateName": "BLOCK",
                                  "variablesReference": 0}
        assert outer["x"]["value"].startswith("fp32 3x5  min 0.  max 14.") and outer["x"]["type"] == "fp32[3,5]"
        assert outer["v"]["value"] == "fp32 8  min -1.  max 4.  mean 0.875  nan 0  inf 0  not loaded 3"
        assert outer["v"]["indexedVariables"] == 8
        assert c.below(outer["v"])[3:6] == [("[3]", "3."), ("[4]", "4."), ("[5]", "(-1.)")]
        assert c.below(outer["x"]) == [("[0]", "[0. 1. 2. 3. 4.]"), ("[1]", "[5. 6. 7. 8. 9.]"),
                                       ("[2]", "[10. 11. 12. 13. 14.]")]
        frames = c.ask("stackTrace", threadId=1)["stackFrames"]
        assert c.ask("stackTrace", threadId=1, startFrame=1, levels=1)["stackFrames"][0]["name"] == "rows"
        assert c.value("tl.max(v)", frameId=frames[1]["id"], context="watch") == "4."
        assert c.value("centre(v, inside)[4]", frameId=frames[1]["id"]) == "-1."
        assert c.value("x + row * stride + at", frameId=frames[1]["id"]) == "pointers into x, 8"
        assert c.value("x[1:,2].sum()") == "19.0"
        table = c.value("v", frameId=frames[1]["id"], context="repl")
        assert table.startswith("v: fp32 8") and "(-1.)" in table and table.count("\n") == 2 and not table.endswith("\n")
        assert c.value(" mean ", context="hover") == "5."
        assert "is not defined" in c.refused("evaluate", expression="meen", context="hover")
        assert "is empty" in c.refused("evaluate", expression="  ")
        old = frames[0]["id"]
        assert c.move("continue", 1, "breakpoint") == "rows:18"
        assert "at this stop" in c.refused("scopes", frameId=old)
        assert "at this stop" in c.refused("variables", variablesReference=outer["v"]["variablesReference"])
        c.ask("disconnect")


def test_completions():
    with client() as c:
        rows(c, [16])
        c.stopped("breakpoint")
        frame = c.ask("stackTrace", threadId=1)["stackFrames"][0]["id"]

        def offers(text, column):
            found = c.ask("completions", text=text, column=column, frameId=frame)["targets"]
            return [(t["label"], t["start"], t["length"]) for t in found]

        assert offers("st", 3) == [("stride", 1, 2)]
        assert offers("tl.max(x + ro) * 2", 14) == [("row", 12, 2)]
        assert [label for label, *_ in offers("i", 2)] == ["inside"]
        assert offers("zz", 3) == [] and offers("x.", 3) == []
        assert len(offers("", 1)) == len(c.scope(1, "Names"))
        assert offers("st", 99) == [("stride", 1, 2)] and offers("st", -5)[0][1] == 1
        c.ask("disconnect")


def test_warnings():
    with client() as c:
        c.sent = -1  # a number as any other
        c.ask("launch", program=PROGRAM, kernel="count", args=["--grid", "2,3", "out=zeros(i32,2)", "rounds=0"])
        told = c.event("output")
        assert told["category"] == "stderr" and "never uses tl.program_id(1)" in told["output"]
        c.event("initialized")
        c.ask("configurationDone")
        c.ends()  # it is said once


def test_large_tiles():
    with client() as c:
        c.launch(PROGRAM, "square", ["--grid", "1", "x=arange(fp32,256x256)", "out=zeros(fp32,256x256)", "N=256"],
                 [26])
        c.stopped("breakpoint")
        v = c.scope(1, "Names")["v"]
        assert v["type"] == "fp32[256,256]" and v["indexedVariables"] == 256
        assert c.below(v)[0] == ("[0:100]", "") and len(c.below(v)) == 3
        third = c.ask("variables", variablesReference=v["variablesReference"])["variables"][2]
        assert third["name"] == "[200:256]" and [n for n, _ in c.below(third)] == [f"[{i}]" for i in range(200, 256)]
        page = c.ask("variables", variablesReference=v["variablesReference"], filter="indexed", start=0,
                     count=2)["variables"]
        assert [n["name"] for n in page] == ["[0]", "[1]"] and page[0]["value"].startswith("[0. 1. 2. (-1.) 4. ")
        assert page[0]["value"].endswith(" ...]") and len(page[0]["value"]) < 100
        assert c.below(page[1], start=254, count=9) == [("[1,254]", "510."), ("[1,255]", "511.")]
        assert c.below(page[1], start=300, count=9) == []
        assert c.below(v, filter="named") == []
        assert c.value("v[1, 254]") == "510."
        c.ask("disconnect")


# --- what is wrong ---


def test_wrong_launches():
    for wanted, why in (({"program": PROGRAM, "kernel": "nobody"}, "no kernel 'nobody'"),
                        ({"program": "/nowhere.py"}, "No such file"),
                        ({"program": PROGRAM, "kernel": "rows", "args": ["--gird", "1"]}, "--grid"),
                        ({"program": PROGRAM, "kernel": "rows", "args": ["x=@-", *ROWS[:2], *ROWS[3:]]}, "stdin"),
                        ({"program": PROGRAM, "kernel": "rows", "args": ["-x", "f"] + ROWS}, "no use for"),
                        ({"program": PROGRAM, "kernel": "rows", "args": ROWS, "cwd": "/nowhere"}, "/nowhere"),
                        ({"program": PROGRAM, "kernel": "rows", "args": [*ROWS, "x=1.5"]}, "x")):
        with client() as c:
            c.ask("initialize")
            assert why in c.refused("launch", **wanted), (wanted, why)
            assert "launches once" in c.refused("launch", program=PROGRAM)
            assert "nothing was launched" in c.refused("continue", threadId=1)
            c.ask("disconnect")


def test_wrong_types():
    with client() as c:
        for wrong, why in (({}, "`program` is missing"), ({"program": 3}, "`program` is to be a string, and is"),
                           ({"program": PROGRAM, "args": "x=1"}, "`args` is to be an array, and is a string"),
                           ({"program": PROGRAM, "args": [1]}, "each of `args`"),
                           ({"program": PROGRAM, "threads": 1.5}, "whole number")):
            assert why in c.refused("launch", **wrong)
        assert "no request `dance`" in c.refused("dance")
        assert "to be true or false" in c.refused("initialize", linesStartAt1="yes")
        rows(c, [16])
        c.stopped("breakpoint")
        for command, wrong, why in (
                ("setBreakpoints", {}, "`source` is missing"),
                ("setBreakpoints", {"source": {}}, "`path` is missing"),
                ("setBreakpoints", {"source": {"path": PROGRAM}, "breakpoints": [3]}, "`line` is missing"),
                ("setBreakpoints", {"source": {"path": PROGRAM}, "breakpoints": [{"line": "3"}]}, "a number"),
                ("setDataBreakpoints", {"breakpoints": [{}]}, "`dataId` is missing"),
                ("stackTrace", {}, "`threadId` is missing"), ("stackTrace", {"threadId": None}, "missing"),
                ("stackTrace", {"threadId": 1e300}, "whole"), ("scopes", {"frameId": -1}, "at this stop"),
                ("variables", {"variablesReference": 10 ** 15}, "at this stop"),
                ("variables", {"variablesReference": {}}, "a number, and is an object"),
                ("evaluate", {"expression": ["x"]}, "a string"), ("next", {"threadId": "1"}, "a number"),
                ("configurationDone", {}, "begun already"), ("launch", {"program": PROGRAM}, "begun already")):
            assert why in c.refused(command, **wrong), (command, wrong)
        assert c.value("row") == "0"
        c.ask("disconnect")


def test_wrong_messages():
    with client() as c:
        for data, why in ((b"hello\r\n\r\n", "no header"), (b"Content-Length: many\r\n\r\n", "no header"),
                          (b"Content-Length: -5\r\n\r\n", "no header"), (b"x" * 9000 + b"\n", "no header"),
                          (b"Content-Length: 5\r\n\r\n{]]]]", "no JSON: "), (b"Content-Length: 1\r\n\r\n{", "no JSON"),
                          (b"Content-Length: 4\r\n\r\nnull", "no JSON"), (b"Content-Length: 2\r\n\r\n[]", "an object"),
                          (b"Content-Length: 4\r\n\r\n\"\xff\xfe\"", "no JSON"),
                          (b"Content-Length: 4\r\n\r\n{} 1", "no JSON"),
                          (b"Content-Length: 200\r\n\r\n" + b"[" * 200, "no JSON"),
                          (b"Content-Length: 99999999\r\n\r\n" + b" " * 99999999, "too long"),
                          (b"Content-Length: 2\r\nContent-Type: x\r\n\r\n{}", "`type`")):
            c.write(data)
            while True:
                told = c.event("output")["output"]
                if why in told:
                    break
                assert "no header" in told, (data[:40], told)
        for message, why in (({"type": "request", "command": "threads"}, "`seq`"),
                             ({"type": "request", "seq": 1}, "`command`"),
                             ({"type": "request", "seq": "1", "command": "threads"}, "`seq`"),
                             ({"type": "event", "seq": 1}, "`type`"), ({"type": 7}, "`type`")):
            c.write_json(message)
            assert why in c.event("output")["output"], message
        # to nothing: nothing is said
        c.write_json({"type": "response", "seq": 1, "request_seq": 1, "success": True, "command": "disconnect"})
        c.write_json({"type": "request", "seq": 0, "command": "threads", "arguments": 3})
        c.sent = 0
        assert "`arguments`" in c.answer_to(0)["message"]
        body = json.dumps({"seq": 1, "type": "request", "command": "threads"}).encode()
        c.sent = 1
        for byte in b"noise Content-Length: %d\n\n" % len(body) + body:  # in pieces, behind noise
            c.write(bytes([byte]))
        assert c.answer_to(1)["success"]
        c.ask("disconnect")


def until_answer(c, number):
    """Behind answers to what was torn, and complaints."""
    while True:
        message = c.receive()
        if message["type"] == "response" and message["request_seq"] == number:
            return


def test_nonsense():
    chosen = random.Random(int(os.environ.get("TILEC_SEED", "1")))
    values = [None, True, 0, -1, 1, 2, 3, 1e9, 2 ** 60, 0.5, "", "v", "out[1,2]", "\0", "row" * 99, [], {}, [{}],
              ["nan"], {"path": PROGRAM}, [{"line": 16}], [{"line": -7, "condition": "("}], PROGRAM]
    names = ["threadId", "frameId", "variablesReference", "expression", "context", "source", "breakpoints",
             "filters", "start", "count", "filter", "name", "levels", "startFrame", "linesStartAt1"]
    commands = ["stackTrace", "scopes", "variables", "evaluate", "setBreakpoints", "setFunctionBreakpoints",
                "setDataBreakpoints", "dataBreakpointInfo", "setExceptionBreakpoints", "exceptionInfo", "threads",
                "next", "stepBack", "pause", "initialize", "nothing"]
    with client() as c:
        rows(c, [16], stopAtEnd=True)
        c.stopped("breakpoint")
        for _ in range(600):
            arguments = {name: chosen.choice(values) for name in chosen.sample(names, chosen.randrange(6))}
            until_answer(c, c.send(chosen.choice(commands), **arguments))
            text = json.dumps({"seq": 0, "type": "request", "command": "threads"})
            at = chosen.randrange(len(text))
            torn = (text[:at] + chosen.choice("{}[]\",:0\x07") + text[at + chosen.randrange(3):]).encode()
            c.write(b"Content-Length: %d\r\n\r\n" % len(torn) + torn)
        until_answer(c, c.send("initialize"))
        c.send("disconnect")
        while c.receive():
            continue


def main():
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    wanted = sys.argv[3:]
    with open(PROGRAM, "w", encoding="utf-8") as file:
        file.write(KERNELS)
    for name, test in tests:
        if not wanted or name in wanted:
            test()
    print(f"{len(wanted) or len(tests)} sessions")


main()
