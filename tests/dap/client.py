"""A client of `tilec debug --dap` for tests: asks, waits, and checks each message that comes."""

import json
import subprocess

from schema import check_published
from shapes import check_message


class Client:
    """One session of the program, which must end with exit code 0."""

    def __init__(self, tilec, folder):
        self.process = subprocess.Popen([tilec, "debug", "--dap"], cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.sent = self.seen = 0
        self.events = []  # that nobody has waited for yet

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        if kind:
            self.process.kill()
        self.process.stdin.close()
        rest = self.process.stdout.read()
        errors = self.process.stderr.read().decode()
        code = self.process.wait()
        if kind is None:
            assert not rest, f"behind the last message: {rest[:200]!r}"
            assert code == 0, f"exit code {code}: {errors}"
        return False

    # --- messages ---

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, command, **arguments):
        """Only ask; gives the number of the request."""
        self.sent += 1
        message = {"seq": self.sent, "type": "request", "command": command, "arguments": arguments}
        self.write_json(message)
        return self.sent

    def write_json(self, message):
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self):
        """The next message; None: there are no more."""
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                return None
            assert line.endswith(b"\r\n"), line
            if line == b"\r\n":
                break
            name, value = line.decode("ascii").split(":")
            assert name == "Content-Length", line
            length = int(value)
        message = json.loads(self.process.stdout.read(length).decode("utf-8"))
        check_message(message)
        check_published(message)
        self.seen += 1
        assert message["seq"] == self.seen, message
        return message

    def answer_to(self, number):
        """The answer; events that come before it are kept."""
        while True:
            message = self.receive()
            assert message, "the program has ended"
            if message["type"] == "response":
                assert message["request_seq"] == number, message
                return message
            self.events.append(message)

    def ask(self, command, **arguments):
        """The body of the answer, which must be no error."""
        answer = self.answer_to(self.send(command, **arguments))
        assert answer["command"] == command
        assert answer["success"], answer
        return answer["body"]

    def refused(self, command, **arguments):
        """Why it is refused."""
        answer = self.answer_to(self.send(command, **arguments))
        assert not answer["success"], answer
        assert answer["message"] == answer["body"]["error"]["format"]
        return answer["message"]

    def event(self, name, behind=()):
        """The body of the next event, which must be that one, or come behind others of these names."""
        message = {"event": None}
        while message and message.get("event") in (None, *behind):
            message = self.events.pop(0) if self.events else self.receive()
        assert message and message.get("event") == name, message
        return message["body"]

    # --- what an editor does ---

    def launch(self, program, kernel, args, breaks=(), **more):
        """Up to where the run begins; gives what setBreakpoints says."""
        self.ask("initialize", adapterID="tilec", clientID="test", linesStartAt1=True, columnsStartAt1=True,
                 supportsVariablePaging=True, pathFormat="path")
        self.ask("launch", program=program, kernel=kernel, args=args, **more)
        self.event("initialized", behind=["output"])  # warnings
        found = self.ask("setBreakpoints", source={"path": program},
                         breakpoints=[b if isinstance(b, dict) else {"line": b} for b in breaks])
        self.ask("configurationDone")
        return found["breakpoints"]

    def stopped(self, reason):
        body = self.event("stopped")
        assert body["reason"] == reason, body
        return body

    def where(self, thread):
        """ "helper:9 rows:19", the innermost first."""
        frames = self.ask("stackTrace", threadId=thread)["stackFrames"]
        return " ".join(f"{f['name']}:{f['line']}" for f in frames)

    def move(self, command, thread, reason="step"):
        """Gives where that leads."""
        self.ask(command, threadId=thread)
        return self.where(self.stopped(reason)["threadId"])

    def scope(self, thread, name, frame=0):
        """The variables of a scope by name."""
        frames = self.ask("stackTrace", threadId=thread)["stackFrames"]
        scopes = self.ask("scopes", frameId=frames[frame]["id"])["scopes"]
        (number,) = [s["variablesReference"] for s in scopes if s["name"] == name]
        return {v["name"]: v for v in self.ask("variables", variablesReference=number)["variables"]}

    def below(self, variable, **which):
        """What it unfolds to: pairs of name and value."""
        found = self.ask("variables", variablesReference=variable["variablesReference"], **which)["variables"]
        return [(v["name"], v["value"]) for v in found]

    def value(self, expression, **more):
        return self.ask("evaluate", expression=expression, **more)["result"]

    def ends(self, code=0):
        """The run has ended, and so does the session."""
        assert self.event("exited")["exitCode"] == code
        self.event("terminated")
        self.ask("disconnect")
