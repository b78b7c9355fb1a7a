"""Chromium without a window, told what to do through its debugging pipe (Chrome DevTools Protocol), for tests of pages.

Where Chromium is missing, need_browser() ends the test with exit status 77, which ctest shows as skipped."""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
NAMES = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT = 120  # seconds, for one answer on a busy machine


def find():
    return next((path for path in map(shutil.which, NAMES) if path), None)


def need_browser():
    if not find():
        print("SKIPPED: there is no Chromium here, so no page was looked at.\n"
              "`toolchain/setup.sh browser` installs it; then run this test again.")
        sys.exit(SKIPPED)


class Browser:
    """with Browser() as b: b.open(url); b.run("document.title"). `errors` gets what the page's scripts complain of."""

    def __init__(self, width=1200, height=900):
        self.errors, self.answers, self.events, self.buffer, self.number = [], {}, [], b"", 0
        self.folder = tempfile.mkdtemp()
        to_child, self.to = os.pipe()
        self.back, from_child = os.pipe()
        command = [find(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
                   "--disable-dev-shm-usage", "--window-size=%d,%d" % (width, height), "--user-data-dir=" + self.folder,
                   "--remote-debugging-pipe", "about:blank"]

        def pipes():
            # Chromium reads from descriptor 3 and writes to 4. First out of the way of each other.
            a, b = os.dup(to_child), os.dup(from_child)
            while min(a, b) <= 4:
                a, b = os.dup(a), os.dup(b)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=pipes,
                                        close_fds=False, start_new_session=True)
        os.close(to_child)
        os.close(from_child)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM", "Network"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(20)
        except (OSError, subprocess.TimeoutExpired, RuntimeError):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self, deadline):
        """One message of the browser; None when none came in time."""
        while b"\0" not in self.buffer:
            if not select.select([self.back], [], [], max(0, deadline - time.time()))[0]:
                return None
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise RuntimeError("Chromium ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def take(self, message):
        if "id" in message:
            self.answers[message["id"]] = message
            return
        method, p = message["method"], message.get("params", {})
        self.events.append((method, p))
        if method == "Runtime.exceptionThrown":
            details = p["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.errors.append(str(p["args"]))
        elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.errors.append(p["entry"]["text"])

    def call(self, method, **params):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.time() + TIMEOUT
        while number not in self.answers:
            got = self.read(deadline)
            if got is None:
                raise RuntimeError("Chromium does not answer " + method)
            self.take(got)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError("%s: %s" % (method, answer["error"]))
        return answer.get("result", {})

    def open(self, url):
        self.errors.clear()
        self.events.clear()
        self.call("Page.navigate", url=url)
        deadline = time.time() + TIMEOUT
        while not any(method == "Page.loadEventFired" for method, _ in self.events):
            got = self.read(deadline)
            if got is None:
                raise RuntimeError("%s is not loaded" % url)
            self.take(got)

    def run(self, expression):
        """The value of an expression, of a promise what it gives; exceptions of it are RuntimeErrors."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def wait(self, expression, seconds=TIMEOUT):
        deadline = time.time() + seconds
        while not self.run(expression):
            if time.time() > deadline:
                raise RuntimeError("this does not become true: %s; %s" % (expression, self.errors))
            time.sleep(.05)

    def key(self, name, text=None):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode={"Tab": 9, "Enter": 13}.get(name, 0), **({"text": text} if text and kind == "keyDown" else {}))

    def choose_file(self, selector, *paths):
        """What a person does with a file input."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[os.path.abspath(p) for p in paths])

    def color_scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path, clip=None):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, **({"clip": dict(zip(("x", "y", "width", "height"), clip), scale=1)} if clip else {}))
        with open(path, "wb") as f:
            f.write(base64.b64decode(picture["data"]))

    def requests(self):
        """The addresses that the page asked for since open()."""
        return [p["request"]["url"] for method, p in self.events if method == "Network.requestWillBeSent"]
