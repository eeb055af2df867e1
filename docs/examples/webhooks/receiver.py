#!/usr/bin/env python3
"""Receives the calls of a webhook, verifies them, and prints each event once, one a line.

Needs TILTH_WEBHOOK_SECRET (whsec_…), and nothing but Python's standard library; listens at LISTEN (127.0.0.1:8000). Before it stands
whatever speaks TLS: Tilth calls https addresses only.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("TILTH_WEBHOOK_SECRET") or sys.exit(
    "TILTH_WEBHOOK_SECRET is missing: the webhook's secret, whsec_... (shown once, when the webhook is made)"
)
try:
    KEY = base64.b64decode(SECRET.removeprefix("whsec_"), validate=True)
except ValueError:
    KEY = b""
if not KEY:
    sys.exit("TILTH_WEBHOOK_SECRET is no webhook's secret: one is whsec_ and base64")
TOLERANCE = 5 * 60  # seconds that the clocks may differ, and a call may be old
LARGEST = 1 << 20

seen = OrderedDict()  # ids of the newest calls; a real program keeps them where it keeps what they led to


def number(text):
    """A number of digits alone; None for anything else that a header may hold."""
    return int(text) if re.fullmatch("[0-9]{1,12}", text) else None


def verified(headers, body):
    """Whether a call comes from who knows the secret, and just now."""
    call, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    seconds = number(at)
    if seconds is None or abs(time.time() - seconds) > TOLERANCE:
        return False
    mac = hmac.new(KEY, f"{call}.{at}.".encode() + body, hashlib.sha256).digest()
    right = "v1," + base64.b64encode(mac).decode()
    # Several while the secret is being changed: one that fits is enough.
    return any(hmac.compare_digest(right.encode(), given.encode()) for given in headers.get("webhook-signature", "").split(" "))


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds of silence: without it who sends nothing keeps a connection and its thread for good

    def do_POST(self):
        length = number(self.headers.get("content-length", ""))
        body = self.rfile.read(length) if length is not None and length <= LARGEST else b""
        if not verified(self.headers, body):
            self.answer(401, "not signed by the secret, or too old")
            return
        call = self.headers["webhook-id"]
        if call not in seen:  # the same one may come twice
            seen[call] = True
            if len(seen) > 10_000:
                seen.popitem(last=False)
            event = json.loads(body)
            data = event["data"]
            print(event["type"], data.get("id", "-"), data.get("level", "-"), data.get("title", "-"), sep="\t", flush=True)
        self.answer(200, "thank you")

    def answer(self, status, words):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(words.encode())

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    host, port = os.environ.get("LISTEN", "127.0.0.1:8000").rsplit(":", 1)
    with ThreadingHTTPServer((host, int(port)), Receiver) as server:
        print(f"listening\t{server.server_address[1]}", flush=True)
        server.serve_forever()
