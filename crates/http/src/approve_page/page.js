"use strict";
(() => {
  const part = (id) => document.getElementById(id);
  const id = location.pathname.split("/").pop();
  // Held here and nowhere else: not in storage, not in the page, not in an address.
  let token = "";
  let workspace = null;

  // What is hidden, or turns the direction of writing, is shown as its code point. Line breaks of the layout stay.
  const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0e\u{e0100}-\u{e01ef}]/gu;
  const plain = (text) => String(text).replace(hidden, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
  const laidOut = (value) => JSON.stringify(value, null, 2).split("\n").map(plain).join("\n");
  // Text and never markup.
  const say = (place, text) => { part(place).textContent = text; };
  const show = (place, on) => { part(place).hidden = !on; };

  const status = (text, wrong) => {
    say("status", plain(text));
    part("status").className = wrong ? "wrong" : "";
  };

  async function ask(method, path, body) {
    const headers = { "Authorization": "Bearer " + token };
    if (workspace !== null) headers["X-Workspace-Id"] = workspace;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const answer = await fetch(path, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
    });
    const text = await answer.text();
    let value = {};
    try { value = JSON.parse(text); } catch { value = { detail: "the service did not answer with JSON" }; }
    return { code: answer.status, value };
  }

  const place = "/v1/confirmations/" + encodeURIComponent(id);

  // A token may name no workspace: then it is the one of its own in which the confirmation is.
  async function find() {
    const first = await ask("GET", place);
    if (first.code !== 400 || first.value.code !== "workspace_required") return first;
    const mine = await ask("GET", "/v1/workspaces?limit=100");
    if (mine.code !== 200) return mine;
    let found = { code: 404, value: { detail: "there is no such confirmation in a workspace of yours" } };
    for (const one of mine.value.items) {
      workspace = one.id;
      const here = await ask("GET", place);
      if (here.code === 200) return here;
    }
    workspace = null;
    return found;
  }

  const problem = (value) => [value.detail, value.hint].filter(Boolean).join("; ") || "it did not work";

  function line(label, value) {
    const name = document.createElement("dt");
    const text = document.createElement("dd");
    name.textContent = plain(label);
    text.textContent = plain(value);
    part("summary").append(name, text);
  }

  function wantPhrase(phrase) {
    say("wanted", plain(phrase));
    show("typing", true);
    show("remembering", false);
    say("approve", "Approve for good");
    part("phrase").value = "";
    part("phrase").focus();
    status("One step more: type the name of the action.");
  }

  function see(asked) {
    say("description", plain(asked.description));
    show("warning", Boolean(asked.warning));
    say("warning", plain(asked.warning || ""));
    part("summary").replaceChildren();
    for (const { label, value } of asked.summary) line(label, value);
    show("more", asked.more > 0);
    say("more", "+" + asked.more + " more, below");
    const who = asked.requester;
    say("who", plain("Asked by " + who.kind + " " + who.id + " (" + who.caller_type + ") at " + asked.created_at
      + ", until " + asked.expires_at + ". Action: " + asked.action + "."));
    say("arguments", laidOut(asked.arguments));
    const open = asked.status === "pending" || asked.status === "awaiting_phrase";
    show("asked", true);
    show("sign", false);
    show("decide", open);
    show("refuse", open);
    show("remembering", open && asked.allow_session_grant);
    if (asked.status === "awaiting_phrase") wantPhrase(asked.action);
    else if (asked.status === "running") status("It was approved, and it is still running.");
    else status(open ? "Look at it closely. It runs when you approve." : "It is decided: " + asked.status + ".");
    if (!open && asked.result) end(asked.result);
  }

  function end(value) {
    show("decide", false);
    show("refuse", false);
    show("ended", true);
    say("result", laidOut(value));
  }

  const busy = (on) => { for (const button of document.querySelectorAll("button")) button.disabled = on; };

  // Every form: nothing is sent by the browser, what fails is said.
  const on = (form, work) => part(form).addEventListener("submit", async (event) => {
    event.preventDefault();
    busy(true);
    try {
      await work();
    } catch {
      status("The service can't be reached. Nothing is known to have happened; look again.", true);
    }
    busy(false);
  });

  on("sign", async () => {
    token = part("token").value.trim();
    part("token").value = "";
    workspace = null;
    const { code, value } = await find();
    if (code !== 200) {
      token = "";
      return status(problem(value), true);
    }
    see(value);
  });

  on("decide", async () => {
    const body = {};
    if (!part("typing").hidden) body.phrase = part("phrase").value;
    if (!part("remembering").hidden && part("remember").checked) body.remember = "session";
    const { code, value } = await ask("POST", place + "/approve", body);
    if (code === 202) return wantPhrase(value.phrase);
    if (code === 200) {
      status("It ran: " + value.description);
      return end(value);
    }
    status(problem(value), true);
    if (code === 409 || code === 410) end(value);
  });

  on("refuse", async () => {
    const reason = part("reason").value.trim();
    const { code, value } = await ask("POST", place + "/deny", reason ? { reason } : {});
    if (code !== 200) return status(problem(value), true);
    status("It was denied, and nothing ran.");
    end({ status: value.status, reason: value.reason });
  });
})();
