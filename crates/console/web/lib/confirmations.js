// Confirmations of a workspace, and what waits there.
import { asApiError } from "./api.js";

/**
 * @typedef {import("../types.d.ts").components["schemas"]["Confirmation"] & {
 *   requester: { name?: string | null, user_name?: string | null }, decided_by_name?: string | null,
 *   can_decide?: { allowed: boolean, reason: string | null, needs_sign_in: boolean, unchanged_only: boolean },
 *   repaired?: string[] }} Confirmation
 * @typedef {import("./api.js").Service} Service
 * @typedef {{ arrived: Confirmation[], ended: Confirmation[] }} Change
 */

const OPEN = ["pending", "awaiting_phrase"];

/** Whether it waits for a person. @param {Confirmation} one */
export const isOpen = (one) => OPEN.includes(one.status);

/** Whether it may still change. A call that was approved may run outside of the service. @param {Confirmation} one */
const mayChange = (one) => isOpen(one) || one.status === "running";

/** @param {string} id */
const path = (id) => `/v1/confirmations/${encodeURIComponent(id)}`;

/** @param {Service} service @param {string} id @returns {Promise<Confirmation>} */
export const get = (service, id) => service.call("GET", path(id));

/**
 * @param {Service} service @param {string} id
 * @param {{ phrase?: string, remember?: "session", arguments?: unknown }} body
 */
export const approve = (service, id, body) => service.call("POST", `${path(id)}/approve`, body);

/**
 * @param {Service} service @param {string} id @param {string} reason may be empty
 * @returns {Promise<Confirmation>}
 */
export const deny = (service, id, reason) => service.call("POST", `${path(id)}/deny`, reason ? { reason } : {});

/**
 * What has not ended and this caller may see.
 * @param {Service} service
 * @param {string | null} session of one conversation
 * @returns {Promise<Confirmation[]>}
 */
async function listOpen(service, session) {
  const query = new URLSearchParams({ limit: "100", status: "open", ...(session ? { session } : {}) });
  return (await service.call("GET", `/v1/confirmations?${query}`)).items;
}

/** Oldest first, those of a conversation beside each other. @param {Confirmation[]} items */
function inOrder(items) {
  const sorted = items.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
  return [...Map.groupBy(sorted, (one) => one.requester.session).values()].flat();
}

/** What waits, as the service says it. What ends while it is shown stays in its place. Sends `change`. */
export class Waiting extends EventTarget {
  /** @param {Service} service @param {string | null} session of one conversation */
  constructor(service, session = null) {
    super();
    this.service = service;
    this.session = session;
    /** Null while it is not known. @type {Confirmation[] | null} */
    this.items = null;
    /** Why it is not known, or not up to date. @type {import("./api.js").ApiError | null} */
    this.error = null;
    /** @type {Promise<void> | null} */
    this.running = null;
    this.again = false;
    this.stopped = false;
  }

  /** What still waits. */
  get open() {
    return (this.items ?? []).filter(isOpen);
  }

  /** Reads the list. Where it is being read already, it is read once more. */
  look() {
    this.again = this.running !== null;
    this.running ??= this.readUntilCurrent().finally(() => { this.running = null; });
    return this.running;
  }

  async readUntilCurrent() {
    do {
      this.again = false;
      await this.read().catch((caught) => this.fail(asApiError(caught)));
    } while (this.again && !this.stopped);
  }

  /** @param {import("./api.js").ApiError} error */
  fail(error) {
    this.error = error;
    this.tell([], []);
  }

  async read() {
    const open = await listOpen(this.service, this.session);
    const left = (this.items ?? []).filter((one) => mayChange(one) && !open.some(({ id }) => id === one.id));
    const found = await Promise.all(left.map((one) => this.ending(one)));
    // What can't be seen any more is gone.
    const gone = left.filter((_, n) => !found[n]);
    const known = found.filter((one) => one !== null);
    // A decision that was made here may have come first.
    const ended = known.filter((one) => !mayChange(one)
      && this.items?.some((now) => now.id === one.id && mayChange(now)));
    const arrived = this.items ? open.filter(({ id }) => !this.items?.some((one) => one.id === id)) : [];
    this.items = this.items ? [...this.items, ...inOrder(arrived)].filter((one) => !gone.includes(one)) : inOrder(open);
    this.error = null;
    this.replace([...open, ...known]);
    this.tell(arrived, ended);
  }

  /** How one ended that is not in the list; null if it can't be seen any more. @param {Confirmation} one */
  ending(one) {
    return get(this.service, one.id).catch((error) => (asApiError(error).status === 404 ? null : one));
  }

  /**
   * Takes what the service said. What has ended stays so: an older answer may come later.
   * @param {Confirmation[]} said
   */
  replace(said) {
    const by = new Map(said.map((one) => [one.id, one]));
    this.items = (this.items ?? []).map((one) => (mayChange(one) ? by.get(one.id) ?? one : one));
  }

  /** @param {Confirmation} one as a decision left it */
  put(one) {
    const waited = this.open.some(({ id }) => id === one.id);
    this.replace([one]);
    this.tell([], waited && !isOpen(one) ? [one] : []);
  }

  /** Forgets what has ended, and in which order it arrived, as a new page would. */
  tidy() {
    if (this.items) this.items = inOrder(this.items.filter(mayChange));
  }

  /** @param {Confirmation[]} arrived @param {Confirmation[]} ended */
  tell(arrived, ended) {
    if (!this.stopped) this.dispatchEvent(new CustomEvent("change", { detail: { arrived, ended } }));
  }
}
