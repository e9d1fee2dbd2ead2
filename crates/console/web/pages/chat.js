// The chat with the assistant: a thread with its messages, and the threads of this person. It reads the same stream as
// a front end of the AI SDK.
import { html, nothing } from "../vendor/lit.js";
import { withQuery } from "../lib/address.js";
import { asApiError } from "../lib/api.js";
import { add, ofPerson, waitsFor } from "../lib/chat-message.js";
import { get, isOpen } from "../lib/confirmations.js";
import { parse, texts } from "../lib/events.js";
import { name, plain } from "../lib/text.js";
import { formatTime } from "../lib/time.js";
import { home } from "../routes.js";
import { choice, pluralize } from "../elements/blocks.js";
import { edit } from "../elements/console-parts.js";
import { Page } from "../elements/page.js";
import { problem } from "../elements/parts.js";
import { commandsOnly, message, noModel } from "./chat-parts.js";
import "../elements/confirmation.js";

/**
 * @typedef {import("../types.d.ts").paths} Paths
 * @typedef {Paths["/v1/assistant/threads"]["get"]["responses"][200]["content"]["application/json"]} ThreadPage
 * @typedef {ThreadPage["items"][number]} ThreadRow
 * @typedef {import("../lib/chat-message.js").Message} Message
 * @typedef {import("../lib/confirmations.js").Confirmation} Confirmation
 * @typedef {{ models: string[], standard: string, threads: ThreadRow[] }} Data
 */

/** The model of a demo that has none. */
const COMMANDS = "demo-commands";

/** @extends {Page<Data>} */
class ChatPage extends Page {
  static properties = { ...Page.properties, streaming: { state: true } };

  constructor() {
    super();
    /** @type {Message[]} */
    this.messages = [];
    /** What the person said in a thread that is not open yet. */
    this.pending = "";
    /** The stream that is read. @type {AbortController | null} */
    this.streaming = null;
    /** The confirmations that were read, by their ids. @type {Map<string, Confirmation | null>} */
    this.cards = new Map();
    /** Ids of the confirmations after which the run was followed on. */
    this.followed = new Set();
  }

  get thread() {
    return this.query.get("thread") ?? "";
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.streaming?.abort();
  }

  async read() {
    this.streaming?.abort();
    [this.messages, this.streaming] = [[], null];
    const thread = this.thread;
    const [models, threads, read] = await Promise.all([
      this.call("GET", "/v1/assistant/models"),
      thread ? null : this.call("GET", "/v1/assistant/threads?limit=50"),
      thread ? this.call("GET", this.path(thread)).catch((caught) => this.unlessMissing(caught)) : null,
    ]);
    // The person went on meanwhile: the data are dropped.
    if (thread !== this.thread) return { models: [], standard: "", threads: [] };
    this.messages = read?.messages ?? [];
    // The list ends with the person's message while its run is running.
    if (this.messages.at(-1)?.role === "user" && !read.last_run?.ended_at) this.resume();
    return { models: models.items, standard: models.default ?? "", threads: threads?.items ?? [] };
  }

  /** A thread begins with its first message. @param {unknown} caught */
  unlessMissing(caught) {
    if (asApiError(caught).status === 404) return null;
    throw caught;
  }

  /** @param {string} thread @param {string} [more] */
  path = (thread, more = "") => `/v1/assistant/threads/${encodeURIComponent(thread)}${more}`;

  updated() {
    const words = this.pending;
    if (words && this.data && this.thread) {
      this.pending = "";
      this.say(words);
    }
    this.followDecisions();
  }

  /** @param {import("../elements/blocks.js").FormEvent} event */
  submit(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const words = String(new FormData(form).get("words") ?? "").trim();
    if (!words || this.streaming) return;
    form.reset();
    if (this.thread) return void this.say(words);
    this.pending = words;
    this.app?.go(withQuery({ thread: `chat-${crypto.randomUUID()}` }), false);
  }

  /** @param {KeyboardEvent & { currentTarget: HTMLTextAreaElement }} event */
  sendOnEnter(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  }

  /** @param {string} words */
  say(words) {
    const said = ofPerson(words);
    this.messages = [...this.messages, said, { id: "", role: "assistant", parts: [] }];
    const model = /** @type {HTMLSelectElement | null} */ (this.querySelector("[name=model]"))?.value;
    this.follow("/v1/assistant/chat", { id: this.thread, message: said, ...(model ? { model } : {}) });
  }

  /** Reads a run that is running, from its start. One that has just ended is in the list now. */
  async resume() {
    /** @type {Message} */
    const last = { id: "", role: "assistant", parts: [] };
    this.messages = [...this.messages, last];
    await this.follow(`/v1/assistant/chat/${encodeURIComponent(this.thread)}/stream`);
    if (!last.id && !this.failure && this.messages.includes(last)) this.load();
  }

  /** Reads a stream into the last message. @param {string} path @param {object} [body] */
  async follow(path, body) {
    const [last, streaming] = [this.messages[this.messages.length - 1], new AbortController()];
    [this.streaming, this.failure] = [streaming, null];
    try {
      const stream = await this.app?.state.service?.stream(path, null, streaming.signal, body);
      for await (const { data } of stream ? parse(texts(stream, () => streaming.abort())) : []) {
        if (data !== "[DONE]") add(last, JSON.parse(data));
        this.requestUpdate();
      }
    } catch (caught) {
      if (!streaming.signal.aborted) this.failure = await this.errorOf(caught);
    }
    if (this.streaming === streaming) this.streaming = null;
    await this.readCards(last);
  }

  stop() {
    return this.act(() => this.call("POST", this.path(this.thread, "/stop"), { body: {} }));
  }

  /** Reads the confirmations that a message waits for. @param {Message} last */
  async readCards(last) {
    const { service, confirmations } = this.app?.state ?? {};
    const unknown = waitsFor(last).filter((id) => !this.cards.has(id));
    if (!service || !unknown.length) return;
    unknown.forEach((id) => this.cards.set(id, null));
    const read = await Promise.all(unknown.map((id) => get(service, id).catch(() => null)));
    unknown.forEach((id, n) => this.cards.set(id, read[n]));
    confirmations?.refresh();
    this.requestUpdate();
  }

  /** A confirmation as it is now. @param {string} id */
  confirmation(id) {
    const read = this.cards.get(id);
    return read && !isOpen(read) ? read : this.app?.state.confirmations?.items?.find((one) => one.id === id) ?? read;
  }

  /** Once a call is decided, here or elsewhere, its message goes on. */
  followDecisions() {
    const last = this.messages.at(-1);
    if (this.streaming || !this.data || last?.role !== "assistant") return;
    const waits = waitsFor(last);
    if (waits.some((id) => !this.cards.has(id))) this.readCards(last);
    const decided = waits.filter((id) => {
      const one = this.confirmation(id);
      return one && !isOpen(one) && !this.followed.has(id);
    });
    if (!decided.length) return;
    decided.forEach((id) => this.followed.add(id));
    const parts = last.parts.map(({ key, ...part }) => part);
    this.follow("/v1/assistant/chat", { id: this.thread, message: { id: last.id, role: "assistant", parts } });
  }

  /** @param {CustomEvent<Confirmation>} event */
  decided({ detail }) {
    this.cards.set(detail.id, detail);
    this.app?.state.confirmations?.put(detail);
    this.requestUpdate();
  }

  /** @param {string} id */
  card(id) {
    const [one, state] = [this.confirmation(id), this.app?.state];
    if (!one) return nothing;
    const inbox = home(this.workspace);
    const links = { page: `${inbox}/${id}`, grants: `${inbox}/grants`, other: `${inbox}/` };
    return html`<toolcrib-confirmation .confirmation=${one} .service=${state?.service} .level=${3}
      .me=${state?.session?.user?.id ?? ""} .links=${links} .edit=${edit}></toolcrib-confirmation>`;
  }

  render() {
    return html`<div class="head"><h1 tabindex="-1">Chat</h1>
        ${this.thread ? html`<p class="actions"><a class="button" href=${location.pathname}>All chats</a></p>`
          : ""}</div>
      ${this.renderData((data) => data.models.length ? this.chat(data) : noModel(this.may("integrations:manage")))}`;
  }

  /** @param {Data} data */
  chat({ models, standard, threads }) {
    const card = (/** @type {string} */ id) => this.card(id);
    const shown = { workspace: this.workspace, audit: this.may("audit:read"), card };
    const only = Object.fromEntries(models.map((one) => [one, plain(one)]));
    return html`${standard === COMMANDS ? commandsOnly : ""}
      <div class="chat" role="log" aria-label="Messages" aria-busy=${String(Boolean(this.streaming))}
        @confirmation=${this.decided}>${this.messages.map((one) => message(one, shown))}</div>
      ${this.failure ? problem(this.failure, () => this.load()) : ""}
      <form class="say" autocomplete="off" @submit=${this.submit}>
        <label>Message <textarea name="words" id="words" rows="2" maxlength="32768" required
          @keydown=${this.sendOnEnter}></textarea></label>
        <p class="actions">${this.streaming ? html`<button type="button" id="stop" @click=${this.stop}>Stop</button>`
            : html`<button class="primary" id="send">Send</button>`}
          ${models.length > 1 ? choice("model", "Model", only, standard) : ""}</p></form>
      ${this.thread ? "" : this.threads(threads)}`;
  }

  /** @param {ThreadRow[]} threads */
  threads(threads) {
    if (!threads.length) return html`<div class="empty after"><p><strong>No chats yet.</strong></p>
      <p>The assistant calls tools with your permissions, and asks where a person has to decide.</p></div>`;
    return html`<section class="group after"><h2>Your chats</h2><ul class="rows">${threads.map((one) => html`<li
      class="row bare"><span class="what"><a href=${withQuery({ thread: one.thread })}>${name(one.first_message)}</a>
        <span class="small muted">${pluralize(one.runs, "message")}, ${formatTime(one.last_at)}</span></span>
      <span class="tag ${one.state === "waiting" ? "pending" : ""}">${plain(one.state)}</span></li>`)}</ul></section>`;
  }
}

customElements.define("chat-page", ChatPage);
