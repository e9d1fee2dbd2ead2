// Confirmations: their requests, and a list that follows those that wait.
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

/** @param {Confirmation[]} items @param {Confirmation} one */
const has = (items, one) => items.some(({ id }) => id === one.id);

/** Oldest first, those of a conversation beside each other. @param {Confirmation[]} items */
function inOrder(items) {
  const sorted = items.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
  return [...Map.groupBy(sorted, (one) => one.requester.session).values()].flat();
}

/** The open confirmations. One that ends while it is shown stays in its place. Sends `change`. */
export class ConfirmationList extends EventTarget {
  /** @param {Service} service @param {string | null} session of one conversation */
  constructor(service, session = null) {
    super();
    this.service = service;
    this.session = session;
    /** Null while it is not known. @type {Confirmation[] | null} */
    this.items = null;
    /** Why it is not known, or not up to date. @type {import("./api.js").ApiError | null} */
    this.error = null;
    /** The read that is under way. @type {Promise<void> | null} */
    this.reading = null;
    this.isStale = false;
    this.stopped = false;
  }

  get open() {
    return (this.items ?? []).filter(isOpen);
  }

  /** Reads the list. Where it is being read already, it is read once more. */
  refresh() {
    this.isStale = this.reading !== null;
    this.reading ??= this.readUntilCurrent().finally(() => { this.reading = null; });
    return this.reading;
  }

  async readUntilCurrent() {
    do {
      this.isStale = false;
      await this.read().catch((caught) => this.fail(asApiError(caught)));
    } while (this.isStale && !this.stopped);
  }

  /** @param {import("./api.js").ApiError} error */
  fail(error) {
    this.error = error;
    this.emit();
  }

  async read() {
    const open = await listOpen(this.service, this.session);
    const missing = (this.items ?? []).filter((one) => mayChange(one) && !has(open, one));
    const answers = await Promise.all(missing.map((one) => this.readMissing(one)));
    // What can't be seen any more is gone.
    const gone = missing.filter((_, n) => !answers[n]);
    const others = answers.filter((one) => one !== null);
    const [isFirst, items] = [!this.items, this.items ?? []];
    // A decision that was made here may have come first.
    const ended = others.filter((one) => !mayChange(one) && has(items.filter(mayChange), one));
    const arrived = open.filter((one) => !has(items, one));
    this.items = [...items, ...inOrder(arrived)].filter((one) => !gone.includes(one));
    this.error = null;
    this.update([...open, ...others]);
    this.emit(isFirst ? [] : arrived, ended);
  }

  /** One that waits no longer; null if it can't be seen any more. @param {Confirmation} one */
  readMissing(one) {
    return get(this.service, one.id).catch((error) => (asApiError(error).status === 404 ? null : one));
  }

  /**
   * Takes what the service answered. What has ended stays so: an older answer may come later.
   * @param {Confirmation[]} answers
   */
  update(answers) {
    const byId = new Map(answers.map((one) => [one.id, one]));
    this.items = (this.items ?? []).map((one) => (mayChange(one) ? byId.get(one.id) ?? one : one));
  }

  /** @param {Confirmation} one as a decision left it */
  put(one) {
    const wasOpen = has(this.open, one);
    this.update([one]);
    this.emit([], wasOpen && !isOpen(one) ? [one] : []);
  }

  /** Forgets what has ended, and in which order it arrived, as a new page would. */
  prune() {
    if (this.items) this.items = inOrder(this.items.filter(mayChange));
  }

  /** @param {Confirmation[]} [arrived] @param {Confirmation[]} [ended] */
  emit(arrived = [], ended = []) {
    if (!this.stopped) this.dispatchEvent(new CustomEvent("change", { detail: { arrived, ended } }));
  }
}
