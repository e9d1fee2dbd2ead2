// A chat whose model calls tools of Toolcrib. What waits for the person is shown between the messages and the field.
const approvals = document.querySelector("toolcrib-approvals");
const form = document.querySelector("form");
const field = document.querySelector("textarea");

approvals.token = async () => (await fetch("/toolcrib-token")).text();
// The model waits for this: the messages are the results of its call.
approvals.addEventListener("toolcrib-ended", ({ detail }) => post("/ended", { id: detail.id, messages: detail.messages }));
approvals.addEventListener("toolcrib-count", ({ detail }) => {
  document.title = detail.count ? `(${detail.count}) Chat` : "Chat";
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field.value.trim();
  if (!text) return;
  field.value = "";
  ask(text);
});

field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  form.requestSubmit();
});

/** Says something to the model, and shows what it says. It answers when the calls that it made were decided. */
async function ask(text) {
  show("you", text);
  const answer = await post("/messages", { text });
  show("bot", answer.ok ? (await answer.json()).answer : `The chat answered with status ${answer.status}.`);
}

/** Sends something to the chat's own backend. */
function post(path, body) {
  return fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

/** Adds a message, as text. */
function show(who, text) {
  const message = Object.assign(document.createElement("p"), { className: who, textContent: text });
  document.getElementById("messages").append(message);
}
