// The pages: their addresses, the permission that each needs, and who has it. What shows a page is in `pages/`.

/**
 * @typedef {object} Route
 * @property {string} name `pages/NAME.js` defines the element `NAME-page`
 * @property {string} title
 * @property {string} [permission]
 * @property {string} [pack] slug of the pack whose actions it uses
 * @property {string} [parent] name of the page that it belongs to, which the navigation marks
 * @property {RegExp} path with the group `workspace` where the page is about one
 */

/** The paths of a page of a workspace. @param {string} path below the workspace, as a regular expression */
const below = (path) => new RegExp(`^/console/w/(?<workspace>[^/]+)${path}/?$`);

/**
 * The address of a page of a workspace.
 * @param {string} workspace
 * @param {...string} parts of the path
 */
export const pageAddress = (workspace, ...parts) =>
  `/console/w/${[workspace, ...parts].map(encodeURIComponent).join("/")}`;

/** The first that fits an address is its page. @type {Route[]} */
export const ROUTES = [
  { name: "inbox", title: "Inbox", permission: "confirmations:read", path: below("/inbox") },
  { name: "actions", title: "Actions", path: below("/actions") },
  { name: "action", title: "Action", parent: "actions", path: below("/actions/(?<action>[^/]+)") },
  { name: "lists", title: "Lists", path: below("/lists") },
  { name: "chat", title: "Chat", permission: "assistant:use", path: below("/chat") },
  { name: "audit", title: "Audit", permission: "audit:read", path: below("/audit") },
  { name: "chain", title: "Chain", permission: "audit:read", parent: "audit", path: below("/audit/chain") },
  { name: "audit-row", title: "Row", permission: "audit:read", parent: "audit", path: below("/audit/(?<call>[^/]+)") },
  { name: "media", title: "Media", pack: "media", permission: "media:read", path: below("/media") },
  { name: "game", title: "Game", pack: "game", permission: "game:read", path: below("/game") },
  { name: "game-project", title: "Game project", pack: "game", permission: "game:read", parent: "game",
    path: below("/game/(?<project>[^/]+)") },
  { name: "people", title: "People", permission: "members:read", path: below("/people") },
  { name: "person", title: "Member", permission: "members:read", parent: "people",
    path: below("/people/(?<user>[^/]+)") },
  { name: "keys", title: "Keys", permission: "keys:manage", path: below("/keys") },
  { name: "new-key", title: "Make a key", permission: "keys:manage", parent: "keys", path: below("/keys/new") },
  { name: "settings", title: "Settings", permission: "settings:manage", path: below("/settings") },
  { name: "promotions", title: "Promotions", permission: "agents:manage", parent: "settings",
    path: below("/settings/promotions") },
  { name: "packs", title: "Packs", permission: "settings:manage", parent: "settings", path: below("/settings/packs") },
  { name: "webhooks", title: "Webhooks", permission: "settings:manage", parent: "settings",
    path: below("/settings/webhooks") },
  { name: "connect", title: "Connect", path: below("/connect") },
  { name: "grants", title: "Grants of conversations", permission: "confirmations:read", parent: "inbox",
    path: below("/inbox/grants") },
  { name: "confirmation", title: "Confirmation", permission: "confirmations:read", parent: "inbox",
    path: below("/inbox/(?<id>[^/]+)") },
  { name: "notifications", title: "Notifications", permission: "notifications:read", path: below("/notifications") },
  { name: "system", title: "System", path: /^\/console\/system\/?$/ },
  { name: "account", title: "Account", path: /^\/console\/account\/?$/ },
];

/**
 * The navigation: groups of names of pages. A page of a pack that is off is not shown, nor is a group without a page
 * that the caller may open.
 */
export const NAVIGATION = [
  { title: "", pages: ["inbox", "chat"] },
  { title: "Tools", pages: ["actions", "lists", "connect"] },
  { title: "Record", pages: ["audit"] },
  { title: "Packs", pages: ["media", "game"] },
  { title: "Workspace", pages: ["people", "keys", "settings"] },
];

/** Who may open a page that needs a permission. @type {Record<string, string>} */
export const WHO_MAY = {
  "confirmations:read": "every active member of the workspace",
  "members:read": "every active member of the workspace",
  "notifications:read": "every active member of the workspace",
  "media:read": "every active member of the workspace",
  "game:read": "every active member of the workspace",
  "assistant:use": "every member but viewers",
  "audit:read": "admins and owners",
  "keys:manage": "admins and owners",
  "settings:manage": "admins and owners",
  "agents:manage": "editors, admins and owners",
};

/**
 * The page of an address, with the workspace that it names as it stands there: an id needs no decoding.
 * @param {string} pathname
 */
export function match(pathname) {
  const route = ROUTES.find(({ path }) => path.test(pathname)) ?? null;
  // An address that has only the workspace stands for its first page.
  const groups = (route?.path ?? below("")).exec(pathname)?.groups;
  return { route, workspace: groups?.workspace ?? null };
}

/** The first page of a workspace. @param {string} workspace */
export const home = (workspace) => pageAddress(workspace, "inbox");
