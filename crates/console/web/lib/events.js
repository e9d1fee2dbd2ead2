// Reads the events of a workspace by `fetch`, and connects again with the id of the last one. `EventSource` can send
// neither the workspace nor a token.
import { asApiError } from "./api.js";
import { pause } from "./time.js";

/** @typedef {{ id: string, type: string, data: string }} ServerEvent */

/** Milliseconds without a byte after which a connection is taken for dead: the service sends one every 15 s. */
const SILENCE = 40_000;
/** Milliseconds between two looks where the service refuses a stream. */
const LOOK = 15_000;
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
async function* texts(body, abort) {
  const [reader, decoder] = [body.getReader(), new TextDecoder()];
  for (;;) {
    const timer = setTimeout(abort, SILENCE);
    const { value, done } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}

/** Reads until it is stopped. Tells `event` with each event, and `look` when events may have been missed. */
export class EventReader {
  /**
   * @param {import("./api.js").Service} service
   * @param {{ session?: string | null, last?: string | null, event: (event: ServerEvent) => void, look: () => void,
   *   failed?: (error: import("./api.js").ApiError) => void }} options `last`: id of the last event that is known
   */
  constructor(service, options) {
    this.service = service;
    this.options = options;
    this.last = options.last ?? null;
    this.stopped = new AbortController();
    this.failures = 0;
    this.run();
  }

  stop() {
    this.stopped.abort();
  }

  async run() {
    while (!this.stopped.signal.aborted) {
      const wait = await this.connect().then(() => pause(this.failures), (caught) => this.failed(asApiError(caught)));
      if (wait === null) return;
      await new Promise((done) => {
        const timer = setTimeout(done, wait);
        this.stopped.signal.addEventListener("abort", () => { clearTimeout(timer); done(null); }, { once: true });
      });
    }
  }

  /** Reads one connection to its end. */
  async connect() {
    const silent = new AbortController();
    const signal = AbortSignal.any([silent.signal, this.stopped.signal]);
    const query = new URLSearchParams({ types: PERMISSION_EVENTS });
    if (this.options.session) query.set("session", this.options.session);
    const body = await this.service.stream(`/v1/events?${query}`, this.last, signal);
    // After a failure what is shown may be the failure.
    if (this.last === null || this.failures) this.options.look();
    this.failures = 0;
    for await (const event of parse(texts(body, () => silent.abort()))) {
      if (event.id) this.last = event.id;
      if (event.data) this.options.event(event);
    }
  }

  /**
   * The milliseconds to wait after a failure, or null where no attempt would help.
   * @param {import("./api.js").ApiError} error
   */
  failed(error) {
    if (this.stopped.signal.aborted) return null;
    if (error.status === 401) {
      this.options.failed?.(error);
      return null;
    }
    // The last event is no longer kept.
    if (error.status === 422 && this.last !== null) {
      this.last = null;
      return 0;
    }
    // A refused stream is asked for again, and meanwhile its reader looks without it.
    const refused = error.status >= 400 && error.status < 500;
    if (refused || this.failures === 0) this.options.look();
    return refused ? LOOK : pause(this.failures++);
  }
}
