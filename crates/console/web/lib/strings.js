// Words for the values of the API. A value that is not here is shown as it is.

/** @type {Record<string, string>} */
export const STATUS = {
  pending: "waits", awaiting_phrase: "step 2 of 2", running: "running", executed: "executed", failed: "failed",
  unknown: "outcome unknown", denied: "denied", expired: "expired", superseded: "superseded", void: "void",
};

/** Level of a confirmation: its sign and its words. @type {Record<string, [string, string]>} */
export const LEVEL = { simple: ["◆", "one step"], typed: ["▲", "typed, two steps"] };

/** Level of an action: its sign and its word. @type {Record<string, [string, string]>} */
export const PERMISSION_LEVEL = { read: ["○", "read"], write: ["◆", "write"], destructive: ["▲", "destructive"] };

/** @type {Record<string, string>} */
export const REQUESTER = { user: "Person", agent: "Agent", service: "Service key" };

/** @type {Record<string, string>} */
export const ROLE = { viewer: "Viewer", member: "Member", editor: "Editor", admin: "Admin", owner: "Owner" };

/** Who may open a page that needs a permission. @type {Record<string, string>} */
export const WHO_MAY = {
  "confirmations:read": "every active member of the workspace",
  "members:read": "every active member of the workspace",
  "audit:read": "admins and owners",
  "keys:manage": "admins and owners",
  "settings:manage": "admins and owners",
  "agents:manage": "editors, admins and owners",
};

/** @type {Record<string, string>} */
export const THEME = { auto: "As the system", light: "Light", dark: "Dark" };

/**
 * The word for a value.
 * @template T
 * @param {Record<string, T>} words
 * @param {string | null | undefined} value
 */
export const word = (words, value) => (value && Object.hasOwn(words, value) ? words[value] : value ?? "");
