"""What messages of the Debug Adapter Protocol look like, as far as they are used here.

A shape is a name of a type, a tuple of the strings that are allowed, a list with the shape of its items, or a
dictionary of members, of which those with `?` behind their names may be missing.  No member may be there that
a shape does not have.
"""

SOURCE = {"name?": "str", "path?": "str"}
BREAKPOINT = {"id?": "int", "verified": "bool", "message?": "str", "source?": SOURCE, "line?": "int"}
BREAKPOINTS = {"breakpoints": [BREAKPOINT]}
NOTHING = {}
ERROR = {"error": {"id": "int", "format": "str", "showUser?": "bool"}}
FILTER = {"filter": "str", "label": "str", "description?": "str", "default?": "bool"}

ANSWERS = {
    "initialize": {
        "supportsConfigurationDoneRequest?": "bool",
        "supportsConditionalBreakpoints?": "bool",
        "supportsFunctionBreakpoints?": "bool",
        "supportsDataBreakpoints?": "bool",
        "supportsEvaluateForHovers?": "bool",
        "supportsStepBack?": "bool",
        "supportsExceptionInfoRequest?": "bool",
        "supportsTerminateRequest?": "bool",
        "supportsDelayedStackTraceLoading?": "bool",
        "supportsClipboardContext?": "bool",
        "supportsCompletionsRequest?": "bool",
        "supportsLogPoints?": "bool",
        "supportsHitConditionalBreakpoints?": "bool",
        "exceptionBreakpointFilters?": [FILTER],
    },
    "launch": NOTHING,
    "configurationDone": NOTHING,
    "setBreakpoints": BREAKPOINTS,
    "setFunctionBreakpoints": BREAKPOINTS,
    "setDataBreakpoints": BREAKPOINTS,
    "setExceptionBreakpoints": NOTHING,
    "dataBreakpointInfo": {
        "dataId": "str or null",
        "description": "str",
        "accessTypes?": [("read", "write", "readWrite")],
        "canPersist?": "bool",
    },
    "exceptionInfo": {
        "exceptionId": "str",
        "description?": "str",
        "breakMode": ("never", "always", "unhandled", "userUnhandled"),
    },
    "threads": {"threads": [{"id": "int", "name": "str"}]},
    "stackTrace": {
        "stackFrames": [
            {
                "id": "int",
                "name": "str",
                "source?": SOURCE,
                "line": "int",
                "column": "int",
                "presentationHint?": ("normal", "label", "subtle"),
            }
        ],
        "totalFrames?": "int",
    },
    "scopes": {
        "scopes": [
            {"name": "str", "presentationHint?": "str", "variablesReference": "int", "expensive": "bool"}
        ]
    },
    "variables": {
        "variables": [
            {
                "name": "str",
                "value": "str",
                "type?": "str",
                "evaluateName?": "str",
                "variablesReference": "int",
                "indexedVariables?": "int",
            }
        ]
    },
    "evaluate": {"result": "str", "type?": "str", "variablesReference": "int", "indexedVariables?": "int"},
    "completions": {
        "targets": [{"label": "str", "type?": ("variable",), "start?": "int", "length?": "int"}]
    },
    "continue": {"allThreadsContinued?": "bool"},
    "next": NOTHING,
    "stepIn": NOTHING,
    "stepOut": NOTHING,
    "stepBack": NOTHING,
    "reverseContinue": NOTHING,
    "pause": NOTHING,
    "terminate": NOTHING,
    "disconnect": NOTHING,
}

EVENTS = {
    "initialized": NOTHING,
    "stopped": {
        "reason": "str",
        "description?": "str",
        "threadId?": "int",
        "text?": "str",
        "allThreadsStopped?": "bool",
        "hitBreakpointIds?": ["int"],
    },
    "output": {"category?": ("console", "important", "stdout", "stderr", "telemetry"), "output": "str"},
    "exited": {"exitCode": "int"},
    "terminated": NOTHING,
}

TYPES = {
    "int": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "bool": lambda v: isinstance(v, bool),
    "str": lambda v: isinstance(v, str),
    "str or null": lambda v: v is None or isinstance(v, str),
}


def check(value, shape, where):
    """Fail unless the value has the shape."""
    if isinstance(shape, str):
        assert TYPES[shape](value), f"{where} is no {shape}: {value!r}"
    elif isinstance(shape, tuple):
        assert value in shape, f"{where} is none of {shape}: {value!r}"
    elif isinstance(shape, list):
        assert isinstance(value, list), f"{where} is no array: {value!r}"
        for i, item in enumerate(value):
            check(item, shape[0], f"{where}[{i}]")
    else:
        assert isinstance(value, dict), f"{where} is no object: {value!r}"
        members = {name.rstrip("?"): inner for name, inner in shape.items()}
        for name in shape:
            assert name.endswith("?") or name in value, f"{where} has no {name}: {value!r}"
        for name, inner in value.items():
            assert name in members, f"{where} has `{name}`"
            check(inner, members[name], f"{where}.{name}")


def check_message(message):
    """Fail unless it is an answer or an event of the protocol."""
    base = {"seq": "int", "type": ("response", "event")}
    if message.get("type") == "event":
        assert message.get("event") in EVENTS, f"there is no event {message.get('event')!r}"
        check(message, {**base, "event": "str", "body": EVENTS[message["event"]]}, message["event"])
        return
    answer = {**base, "request_seq": "int", "success": "bool", "command": "str"}
    if message.get("success"):
        check(message, {**answer, "body": ANSWERS[message["command"]]}, message["command"])
    else:
        check(message, {**answer, "message": "str", "body": ERROR}, f"error of {message.get('command')!r}")
