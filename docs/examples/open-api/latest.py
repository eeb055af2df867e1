#!/usr/bin/env python3
"""The newest values of every device of a farm, one a line.

Needs TILTH_URL (https://console.example), TILTH_APP_KEY and TILTH_APP_SECRET, and nothing but Python's standard library.
"""

import base64
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


def setting(name, what):
    return os.environ.get(name) or sys.exit(f"{name} is missing: {what}")


BASE = setting("TILTH_URL", "the console's address, https://console.example").rstrip("/") + "/open-api/v1"
KEY = setting("TILTH_APP_KEY", "the appKey of an API credential (profile page, My app)")
SECRET = setting("TILTH_APP_SECRET", "the appSecret that belongs to it")
PAIR = f"{KEY}:{SECRET}"
HEADERS = {"Authorization": "Basic " + base64.b64encode(PAIR.encode()).decode()}


class Missing(SystemExit):
    """There is no such thing, or none any more."""


def reason(refusal):
    """What the server says; what stands before it may say something else, and not in JSON."""
    try:
        return json.load(refusal)["detail"]
    except (ValueError, LookupError, TypeError):
        return refusal.reason


def get(path, **parameters):
    """Asks once more when the server says when; any other refusal is an error with its reason."""
    address = BASE + path + ("?" + urllib.parse.urlencode(parameters) if parameters else "")
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(address, headers=HEADERS), timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            if refusal.code in (429, 503):
                time.sleep(int(refusal.headers.get("Retry-After", "5")))
                continue
            how = Missing if refusal.code == 404 else SystemExit
            raise how(f"{refusal.code}: {reason(refusal)}") from refusal


def pages(path, **parameters):
    """Everything in a list, page by page."""
    while True:
        page = get(path, **parameters)
        yield from page["items"]
        if "nextCursor" not in page:
            return
        parameters["cursor"] = page["nextCursor"]


def main():
    for device in pages("/devices", limit=400):
        name = device["deviceName"]
        try:
            latest = get(f"/devices/{urllib.parse.quote(name, safe='')}/latest")
        except Missing:
            continue  # it was deleted since the list was made
        for value in latest["values"]:
            print(name, value["identifier"], json.dumps(value["value"]), value.get("unit", "-"), value["time"], sep="\t")


if __name__ == "__main__":
    sys.exit(main())
