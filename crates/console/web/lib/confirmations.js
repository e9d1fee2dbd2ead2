// Reads confirmations of a workspace.

/**
 * @typedef {import("../types.d.ts").components["schemas"]["Confirmation"] & {
 *   requester: { name?: string | null, user_name?: string | null }, decided_by_name?: string | null,
 *   can_decide?: { allowed: boolean, reason: string | null }, repaired?: string[] }} Confirmation
 * @typedef {{ items: Confirmation[], next_cursor: string | null }} Page
 * @typedef {import("./service.js").Service} Service
 */

const OPEN = ["pending", "awaiting_phrase"];

/** @param {Confirmation} one */
export const isOpen = (one) => OPEN.includes(one.status);

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
 * What waits and this caller may see, oldest first.
 * @param {Service} service
 * @param {string | null} session of one conversation
 * @returns {Promise<Confirmation[]>}
 */
export async function listOpen(service, session = null) {
  const all = "/v1/confirmations?limit=100&status=";
  const pages = await Promise.all(OPEN.map((status) => service.call("GET", all + status)));
  const items = pages.flatMap((page) => page.items).filter((one) => !session || one.requester.session === session);
  return items.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

/**
 * A page of what has ended, newest first.
 * @param {Service} service
 * @param {string | null} cursor
 * @returns {Promise<Page>}
 */
export async function listEnded(service, cursor) {
  const query = new URLSearchParams({ limit: "50", ...(cursor ? { cursor } : {}) });
  const page = await service.call("GET", `/v1/confirmations?${query}`);
  return { ...page, items: page.items.filter((/** @type {Confirmation} */ one) => !isOpen(one)) };
}

/** The same items, those of a conversation beside each other, in the order of each conversation's first. @param {Confirmation[]} items */
export function byConversation(items) {
  return [...Map.groupBy(items, (one) => one.requester.session ?? null).values()].flat();
}

/**
 * Neighbours of one conversation, as a group. `null` stands for none.
 * @param {Confirmation[]} items
 */
export function runs(items) {
  /** @type {{ session: string | null, items: Confirmation[] }[]} */
  const groups = [];
  for (const one of items) {
    const session = one.requester.session ?? null;
    const last = groups.at(-1);
    if (last && last.session === session) last.items.push(one);
    else groups.push({ session, items: [one] });
  }
  return groups;
}
