// What the console knows: the session, the person's rights in the workspace, and what waits there.
import { Service, asApiError, call } from "./api.js";
import { ConfirmationList } from "./confirmations.js";
import { Hub } from "./hub.js";
import { readSession } from "./session.js";
import { STATUS, speech, word } from "./text.js";

/**
 * @typedef {import("../types.d.ts").paths["/v1/me"]["get"]["responses"][200]["content"]["application/json"]} Me
 * @typedef {import("./confirmations.js").Confirmation} Confirmation
 * @typedef {import("./api.js").ApiError} ApiError
 */

/**
 * The rights in a workspace, or in the person's first. Without both, or where the person may not enter: the rights
 * in none.
 * @param {string | null} wanted
 * @returns {Promise<{ me: Me, workspace: string | null, error: ApiError | null }>}
 */
async function rights(wanted) {
  try {
    const me = await call("GET", "/v1/me", { workspace: wanted });
    const first = wanted ?? me.workspaces[0]?.id ?? null;
    if (wanted || !first) return { me, workspace: first, error: null };
    return { me: await call("GET", "/v1/me", { workspace: first }), workspace: first, error: null };
  } catch (caught) {
    const error = asApiError(caught);
    if (error.status !== 403) throw error;
    return { me: await call("GET", "/v1/me"), workspace: null, error };
  }
}

export class State {
  /** @param {(change: import("./confirmations.js").Change) => void} onChange called when what waits has changed */
  constructor(onChange) {
    this.onChange = onChange;
    /** @type {import("./session.js").Session | null} */
    this.session = null;
    /** @type {Me | null} */
    this.me = null;
    /** Id of the workspace in view. @type {string | null} */
    this.workspace = null;
    /** Calls the service in that workspace. @type {Service | null} */
    this.service = null;
    /** What waits there and this person may see. @type {ConfirmationList | null} */
    this.confirmations = null;
    /** @type {Hub | null} */
    this.hub = null;
    /** Ids of what this person may decide, or could while it was open: what ends stays in its place. */
    this.decidable = new Set();
    /** Which entry is the last: an answer that comes later than that of the next one is dropped. */
    this.entries = 0;
  }

  async readSession() {
    this.session ??= await readSession();
    return this.session;
  }

  /**
   * Reads the rights in a workspace: the one that is named, the one in view, or the first.
   * Returns the error if the person may not enter it.
   * @param {string | null} named
   */
  async enter(named) {
    const wanted = named ?? this.workspace;
    const entry = (this.entries += 1);
    if (this.me && wanted === this.workspace) return null;
    const { me, workspace, error } = await rights(wanted);
    if (entry !== this.entries) return null;
    [this.me, this.workspace] = [me, workspace];
    this.leave();
    this.service = workspace ? new Service({ workspace }) : null;
    if (this.service && this.may("confirmations:read")) this.listen(this.service);
    return error;
  }

  /** Follows what waits in the workspace: the list is read once the stream is open. @param {Service} service */
  listen(service) {
    const confirmations = (this.confirmations = new ConfirmationList(service));
    this.decidable.clear();
    confirmations.addEventListener("change", (event) => {
      for (const one of confirmations.open) this.decidable[one.can_decide?.allowed ? "add" : "delete"](one.id);
      this.onChange(/** @type {CustomEvent} */ (event).detail);
    });
    this.hub = new Hub(service, { owner: this.session?.user?.id ?? "" });
    this.hub.addEventListener("refresh", () => confirmations.refresh());
    this.hub.start();
  }

  /** Stops what follows the workspace that was in view. */
  leave() {
    this.hub?.stop();
    if (this.confirmations) this.confirmations.stopped = true;
    [this.service, this.confirmations, this.hub] = [null, null, null];
  }

  /** Reads the rights again, as after a refusal: they may have changed. */
  async readRights() {
    this.me = await call("GET", "/v1/me", { workspace: this.workspace });
  }

  /** @param {string} permission */
  may(permission) {
    return Boolean(this.me?.permissions.includes(permission));
  }

  /** Whether a pack is on in the workspace. @param {string} pack its slug */
  has(pack) {
    return Boolean(this.me?.packs.includes(pack));
  }

  /** What waits for this person's decision, whoever asked. */
  get forMe() {
    return (this.confirmations?.open ?? []).filter((one) => this.isForMe(one));
  }

  /** @param {Confirmation} one */
  isForMe(one) {
    return this.decidable.has(one.id);
  }

  /** Whether this person asks and does not decide for others: their first page is their own calls. */
  get onlyAsks() {
    return this.me?.role === "viewer" || this.me?.role === "member";
  }

  /** Whether it is a call of this person, or made for them. @param {Confirmation} one */
  isMine(one) {
    return one.requester.user_id === this.session?.user?.id;
  }

  /** The name of the workspace in view. */
  get workspaceName() {
    return this.me?.workspace?.name ?? "";
  }
}

/**
 * The message about new confirmations; null if there are none.
 * @param {{ description: string }[]} arrived @param {number} waiting how many wait now
 */
export function arrivalMessage(arrived, waiting) {
  if (!arrived.length) return null;
  const what = arrived.length === 1 ? speech(arrived[0].description) : `${arrived.length} new calls`;
  return `New: ${what}. ${waiting} waiting for you.`;
}

/**
 * The message about confirmations that ended; null if there are none.
 * @param {{ description: string, status: string }[]} ended
 */
export function endMessage(ended) {
  if (ended.length > 1) return `${ended.length} calls were decided.`;
  return ended.length ? `${speech(ended[0].description)}: ${word(STATUS, ended[0].status)}.` : null;
}
