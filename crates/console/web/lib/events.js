// Reads the events of a workspace by `fetch`, and connects again with the id of the last one. `EventSource` can send
// neither the workspace nor a token.
import { asApiError } from "./api.js";
import { backoff } from "./time.js";

/** @typedef {{ id: string, type: string, data: string }} ServerEvent */

/** Milliseconds without a byte after which a connection is taken for dead: the service sends one every 15 s. */
const SILENCE = 40_000;
/** Milliseconds between two refreshes where the service refuses a stream. */
const POLL = 15_000;
const PERMISSION_EVENTS = "awaiting_permission,permission_granted,permission_denied,permission_expired,tool_use," +
  "client_execution_required,call.ended";

/**
 * The events in the text of a stream, as the HTML standard reads it. An id without data moves the position alone.
 * @param {AsyncIterable<string>} texts
 * @returns {AsyncGenerator<ServerEvent>}
 */
export async function* parse(texts) {
  let [rest, id, type, data] = ["", "", "", ""];
  for await (const text of texts) {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (field === "id") id = value;
      else if (field === "event") type = value;
      else if (field === "data") data += (data && "\n") + value;
      if (line !== "") continue;
      if (data || id) yield { id, type: type || "message", data };
      [type, data] = ["", ""];
    }
  }
}

/**
 * The text of a body. Ends the connection that is silent for too long.
 * @param {ReadableStream<Uint8Array>} body @param {() => void} abort
 */
export async function* texts(body, abort) {
  const [reader, decoder] = [body.getReader(), new TextDecoder()];
  for (;;) {
    const timer = setTimeout(abort, SILENCE);
    const { value, done } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}

/** Reads until it is stopped. Calls `onEvent` with each event, and `onGap` when events may have been missed. */
export class EventReader {
  /**
   * @param {import("./api.js").Service} service
   * @param {{ session?: string | null, lastId?: string | null, onEvent: (event: ServerEvent) => void,
   *   onGap: () => void, onError: (error: import("./api.js").ApiError) => void }} options `lastId`: of the last event
   *   that is known; `onError`: no attempt would help
   */
  constructor(service, options) {
    this.service = service;
    this.options = options;
    this.lastId = options.lastId ?? null;
    this.controller = new AbortController();
    this.failures = 0;
    this.run();
  }

  stop() {
    this.controller.abort();
  }

  async run() {
    const { signal } = this.controller;
    while (!signal.aborted) {
      const delay = await this.connect()
        .then(() => backoff(this.failures), (caught) => this.delayAfter(asApiError(caught)));
      if (delay === null) return;
      await new Promise((done) => {
        const timer = setTimeout(done, delay);
        signal.addEventListener("abort", () => { clearTimeout(timer); done(null); }, { once: true });
      });
    }
  }

  /** Reads one connection to its end. */
  async connect() {
    const silent = new AbortController();
    const signal = AbortSignal.any([silent.signal, this.controller.signal]);
    const query = new URLSearchParams({ types: PERMISSION_EVENTS });
    if (this.options.session) query.set("session", this.options.session);
    const body = await this.service.stream(`/v1/events?${query}`, this.lastId, signal);
    // After a failure what is shown may be the failure.
    if (this.lastId === null || this.failures) this.options.onGap();
    this.failures = 0;
    for await (const event of parse(texts(body, () => silent.abort()))) {
      if (event.id) this.lastId = event.id;
      if (event.data) this.options.onEvent(event);
    }
  }

  /**
   * The milliseconds to wait after a failure, or null where no attempt would help.
   * @param {import("./api.js").ApiError} error
   */
  delayAfter(error) {
    if (this.controller.signal.aborted) return null;
    if (error.status === 401) {
      this.options.onError(error);
      return null;
    }
    // The last event is no longer kept.
    if (error.status === 422 && this.lastId !== null) {
      this.lastId = null;
      return 0;
    }
    // A refused stream is asked for again, and meanwhile what is shown is refreshed without it.
    const refused = error.status >= 400 && error.status < 500;
    if (refused || !this.failures) this.options.onGap();
    return refused ? POLL : backoff(this.failures++);
  }
}
