"""A browser without a screen, told by its DevTools protocol what a person would do: keys, one after the other.

Chromium and those that come of it read messages from descriptor 3 and write them to 4, each with a zero behind it.
"""
import json
import os
import subprocess

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40}
SHIFT = 8
COMPLAINTS = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")


class Browser:
    def __init__(self, program, folder):
        theirs, self.out = os.pipe()
        self.into, answers = os.pipe()

        def place():
            copies = os.dup(theirs), os.dup(answers)
            for copy, wanted in zip(copies, (3, 4)):
                os.dup2(copy, wanted)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--window-size=1500,900",
             f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=place, close_fds=False, stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(answers)
        self.asked, self.rest, self.events, self.session = 0, b"", [], None
        (page,) = [t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        self.session = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility"):
            self.ask(domain + ".enable")

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.into, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **params):
        self.asked += 1
        message = {"id": self.asked, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while (answer := self.receive()).get("id") != self.asked:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, url):
        self.ask("Page.navigate", url=url)
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())

    def value(self, script):
        """Of a script, as JSON has it."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key, modifiers=0):
        names = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key], "modifiers": modifiers}
        text = {"text": "\r"} if key == "Enter" else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **names, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **names)

    def complaints(self):
        return [json.dumps(e["params"])[:200] for e in self.events if e.get("method") in COMPLAINTS]

    def close(self):
        self.process.kill()
        self.process.wait()
