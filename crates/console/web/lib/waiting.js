// What waits in a workspace for a person, as the service says it. What ends while it is shown stays in its place.
import { asApiError } from "./api.js";
import { byConversation, get, isOpen, listOpen } from "./confirmations.js";

/**
 * @typedef {import("./confirmations.js").Confirmation} Confirmation
 * @typedef {{ arrived: Confirmation[], ended: Confirmation[] }} Change
 */

/** Sends `change`, with what arrived and what ended as its detail. */
export class Waiting extends EventTarget {
  /** @param {import("./service.js").Service} service @param {string | null} session of one conversation */
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

  /** Reads the list. While it is read, further calls lead to one more reading. @returns {Promise<void>} */
  async look() {
    if (this.running) {
      this.again = true;
      return this.running;
    }
    this.running = this.read();
    await this.running;
    this.running = null;
    if (this.again && !this.stopped) {
      this.again = false;
      await this.look();
    }
  }

  async read() {
    try {
      const open = await listOpen(this.service, this.session);
      const ended = this.open.filter((one) => !open.some(({ id }) => id === one.id));
      const found = await Promise.all(ended.map((one) => this.ending(one)));
      if (this.stopped) return;
      const known = new Set(this.items?.map(({ id }) => id));
      const arrived = this.items ? open.filter(({ id }) => !known.has(id)) : [];
      this.items = this.items ? [...this.items, ...arrived] : byConversation(open);
      this.error = null;
      this.replace([...open, ...found.filter((one) => one !== null)]);
      // What is gone, as in a conversation that somebody may no longer see.
      const gone = ended.filter((_, n) => !found[n]);
      this.items = this.items.filter((one) => !gone.includes(one));
      this.tell(arrived, found.filter((one) => one !== null));
    } catch (caught) {
      this.error = asApiError(caught);
      this.tell([], []);
    }
  }

  /** How one ended that is not in the list; null if it can't be seen any more. @param {Confirmation} one */
  ending(one) {
    return get(this.service, one.id).catch((error) => (asApiError(error).status === 404 ? null : one));
  }

  /** Shows what the service said of some. What has ended stays so: an older answer may come later. @param {Confirmation[]} said */
  replace(said) {
    const by = new Map(said.map((one) => [one.id, one]));
    this.items = (this.items ?? []).map((one) => (isOpen(one) ? by.get(one.id) ?? one : one));
  }

  /** @param {Confirmation} one as a decision left it */
  put(one) {
    const was = this.items?.find(({ id }) => id === one.id);
    this.replace([one]);
    this.tell([], was && isOpen(was) && !isOpen(one) ? [one] : []);
  }

  /** Forgets what has ended, and the order in which it arrived, as a new page would. */
  tidy() {
    if (this.items) this.items = byConversation(this.open.sort((a, b) => (a.created_at < b.created_at ? -1 : 1)));
  }

  /** @param {Confirmation[]} arrived @param {Confirmation[]} ended */
  tell(arrived, ended) {
    if (!this.stopped) this.dispatchEvent(new CustomEvent("change", { detail: { arrived, ended } }));
  }
}
