// One stream of events for all tabs of a browser. The tab that holds a lock reads it, and passes on what happened by a
// channel: the id of an event, and no data. Each tab asks the service itself for what it shows.
import { EventReader } from "./events.js";

/** Milliseconds that a page may be hidden before it stops to listen. */
const HIDDEN = 60_000;
/** Milliseconds after which another tab is taken to have the lock: a document that was left gives it back late. */
const WAIT = 300;

/** Sends `refresh` when something changed that waits or waited for a person, and `failed` when the credential ended. */
export class Hub extends EventTarget {
  /**
   * @param {import("./api.js").Service} service
   * @param {{ owner: string, session?: string | null }} options `owner`: whose events they are; others get a stream
   *   of their own
   */
  constructor(service, { owner, session = null }) {
    super();
    this.service = service;
    this.session = session;
    this.name = ["toolcrib-events", service.base ?? "", service.workspace, owner, session ?? ""].join(" ");
    /** The last event that any tab has read. @type {string | null} */
    this.lastId = null;
    /** @type {EventReader | null} */
    this.reader = null;
    /** @type {BroadcastChannel | null} */
    this.channel = null;
    this.closing = new AbortController();
    this.timer = 0;
  }

  start() {
    document.addEventListener("visibilitychange", this.onVisibility);
    this.onVisibility();
    return this;
  }

  stop() {
    document.removeEventListener("visibilitychange", this.onVisibility);
    clearTimeout(this.timer);
    this.close();
  }

  /** Listens while the page is shown, and a minute longer. */
  onVisibility = () => {
    clearTimeout(this.timer);
    if (document.hidden) this.timer = window.setTimeout(() => this.close(), HIDDEN);
    else if (!this.channel) this.open();
  };

  open() {
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = ({ data }) => this.receive(data);
    this.closing = new AbortController();
    this.readInTurn(this.closing.signal).catch(() => null);
  }

  /** Reads the stream, now or once the tab that reads it goes. @param {AbortSignal} signal of the end */
  async readInTurn(signal) {
    // Without locks, as on a page without https, each page reads a stream of its own.
    if (!navigator.locks) return this.read();
    // Where another tab reads, what happened before this one listened is not sent again.
    const timer = setTimeout(() => signal.aborted || this.receive(), WAIT);
    await navigator.locks.request(this.name, { signal }, () => {
      clearTimeout(timer);
      return new Promise((release) => {
        signal.addEventListener("abort", release, { once: true });
        this.read();
      });
    });
  }

  read() {
    this.reader = new EventReader(this.service, {
      session: this.session, lastId: this.lastId,
      onEvent: ({ id }) => this.publish(id),
      onGap: () => this.publish(),
      onError: (error) => this.dispatchEvent(new CustomEvent("failed", { detail: error })),
    });
  }

  close() {
    this.lastId = this.reader?.lastId ?? this.lastId;
    this.reader?.stop();
    this.closing.abort();
    this.channel?.close();
    [this.reader, this.channel] = [null, null];
  }

  /** @param {string} [id] of an event */
  publish(id) {
    this.channel?.postMessage(id);
    this.receive(id);
  }

  /** @param {string} [id] of an event */
  receive(id) {
    if (id) this.lastId = id;
    this.dispatchEvent(new Event("refresh"));
  }
}

/** @type {Map<string, { hub: Hub, users: number }>} */
const shared = new Map();

/**
 * The hub of all elements of this page that are about the same. `release` ends it after the last of them.
 * @param {import("./api.js").Service} service @param {string | null} session
 */
export function share(service, session) {
  const key = JSON.stringify([service.base, service.workspace, session]);
  const one = shared.get(key) ?? { hub: new Hub(service, { owner: "element", session }).start(), users: 0 };
  shared.set(key, one);
  one.users += 1;
  const release = () => {
    one.users -= 1;
    if (one.users > 0) return;
    one.hub.stop();
    shared.delete(key);
  };
  return { hub: one.hub, first: one.users === 1, release };
}
