"""Messages against the schema that the Debug Adapter Protocol is published with, where somebody has it.

    TILEC_DAP_SCHEMA=debugAdapterProtocol.json sessions.py TILEC SOURCE

What JSON Schema has and that file does not use is not understood here.
"""

import json
import os

SCHEMA = os.environ.get("TILEC_DAP_SCHEMA")
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}


class Schema:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.definitions = json.load(file)["definitions"]
        self.of_command = {}
        for name in self.definitions:
            for command in self.commands_of(name):
                self.of_command[command] = name[: -len("Request")]

    def commands_of(self, name):
        """What a request is called in messages."""
        if not name.endswith("Request"):
            return []
        parts = self.definitions[name].get("allOf", [])
        return [c for p in parts for c in p.get("properties", {}).get("command", {}).get("enum", [])]

    def check(self, value, shape, where):
        """Fail unless the value has the shape."""
        if "$ref" in shape:
            self.check(value, self.definitions[shape["$ref"].rsplit("/", 1)[1]], where)
        for part in shape.get("allOf", []):
            self.check(value, part, where)
        types = shape.get("type", [])
        types = [types] if isinstance(types, str) else types
        assert not types or any(TYPES[t](value) for t in types), f"{where} is none of {types}: {value!r}"
        assert value in shape.get("enum", [value]), f"{where} is none of {shape['enum']}: {value!r}"
        if isinstance(value, dict):
            for name in shape.get("required", []):
                assert name in value, f"{where} has no {name}: {value!r}"
            for name, inner in shape.get("properties", {}).items():
                if name in value:
                    self.check(value[name], inner, f"{where}.{name}")
        if isinstance(value, list) and "items" in shape:
            for i, item in enumerate(value):
                self.check(item, shape["items"], f"{where}[{i}]")

    def check_message(self, message):
        kind = message["type"]
        if kind == "event":
            name = message["event"][0].upper() + message["event"][1:] + "Event"
        elif kind == "response" and not message["success"]:
            name = "ErrorResponse"
        else:
            name = self.of_command[message["command"]] + kind.capitalize()
        self.check(message, self.definitions[name], name)


published = Schema(SCHEMA) if SCHEMA else None


def check_published(message):
    """Fail unless the message has the shape that its name stands for; without the schema, never."""
    if published:
        published.check_message(message)
