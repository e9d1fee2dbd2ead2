#!/usr/bin/env python3
"""Runs the tools of orion.toml that a user's calls have started: claims each call, runs it, and reports its outcome.

    eval "$(examples/demo-env member)"     # CRIB_URL, CRIB_WORKSPACE and CRIB_TOKEN
    python3 examples/toolsets/runner.py

Needs the standard library only. The mailbox and the calendar are lists in memory; replace the functions by your own.
"""
import itertools
import json
import os
import time
import urllib.error
import urllib.request

URL, WORKSPACE, TOKEN = (os.environ[name] for name in ("CRIB_URL", "CRIB_WORKSPACE", "CRIB_TOKEN"))
SECONDS_BETWEEN_POLLS = float(os.environ.get("CRIB_POLL_SECONDS", "1"))
numbers = itertools.count(1)
tasks, emails = {}, {"m-1": "The budget of next year"}


def create_task(title, **more):
    task = f"t-{next(numbers)}"
    tasks[task] = {"title": title, **more}
    return {"id": task}


def delete_email(email_id):
    if email_id not in emails:
        raise LookupError(f"there is no e-mail {email_id}")
    del emails[email_id]
    return {"deleted": email_id}


# The functions by the tools' full names. A call of another tool is left to another runner.
TOOLS = {"orion__create_task": create_task, "orion__delete_email": delete_email}


def ask(method, path, body=None):
    """Sends a request and returns status and body."""
    headers = {"Authorization": f"Bearer {TOKEN}", "X-Workspace-Id": WORKSPACE, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def run(call):
    """Claims a call, runs it with exactly the claimed arguments, and reports what came of it."""
    status, claimed = ask("POST", f"/v1/calls/{call['call_id']}/claim", {})
    if status != 200:
        # Another runner was faster, or the call is no longer allowed.
        print(f"{call['action']}: {claimed['detail']}", flush=True)
        return
    try:
        report = {"status": "succeeded", "output": TOOLS[call["action"]](**claimed["arguments"])}
    except Exception as error:  # Whatever went wrong, the call has an outcome.
        report = {"status": "failed", "error": str(error)}
    # A report may be sent again: the same one has the same answer.
    status, ended = ask("POST", f"/v1/calls/{call['call_id']}/outcome", report)
    print(f"{call['action']}: {ended.get('state') or ended['detail']}", flush=True)


def main():
    print("waiting for calls", flush=True)
    while True:
        status, page = ask("GET", "/v1/calls?open=true&mine=true&limit=100")
        if status != 200:
            print(f"the list of calls: {page['detail']}", flush=True)
        for call in page.get("items", []):
            if call["state"] == "ready" and call["action"] in TOOLS:
                run(call)
        time.sleep(SECONDS_BETWEEN_POLLS)


if __name__ == "__main__":
    main()
