// The pages: their addresses, their modules, and the permission that they need.

/**
 * @typedef {object} Route
 * @property {string} name
 * @property {RegExp} path with the group `workspace` where the page is about one
 * @property {string} title
 * @property {string} element
 * @property {() => Promise<unknown>} load
 * @property {string} [permission]
 * @property {string} [parent] name of the page that it belongs to, which the navigation marks
 * @property {(workspace: string) => string} [address] for the navigation
 */

const WORKSPACE = "/console/w/(?<workspace>[^/]+)";

/**
 * The address of a page of a workspace.
 * @param {string} workspace
 * @param {...string} parts of the path
 */
export const pageAddress = (workspace, ...parts) =>
  `/console/w/${[workspace, ...parts].map(encodeURIComponent).join("/")}`;

/** @type {Route[]} */
export const ROUTES = [
  {
    name: "inbox", title: "Inbox", element: "inbox-page", permission: "confirmations:read",
    path: new RegExp(`^${WORKSPACE}/inbox/?$`), load: () => import("./pages/inbox.js"),
    address: (workspace) => pageAddress(workspace, "inbox"),
  },
  {
    name: "actions", title: "Actions", element: "actions-page",
    path: new RegExp(`^${WORKSPACE}/actions/?$`), load: () => import("./pages/actions.js"),
    address: (workspace) => pageAddress(workspace, "actions"),
  },
  {
    name: "action", title: "Action", element: "action-page", parent: "actions",
    path: new RegExp(`^${WORKSPACE}/actions/(?<action>[^/]+)/?$`), load: () => import("./pages/action.js"),
  },
  {
    name: "lists", title: "Lists", element: "lists-page",
    path: new RegExp(`^${WORKSPACE}/lists/?$`), load: () => import("./pages/lists.js"),
    address: (workspace) => pageAddress(workspace, "lists"),
  },
  {
    name: "audit", title: "Audit", element: "audit-page", permission: "audit:read",
    path: new RegExp(`^${WORKSPACE}/audit/?$`), load: () => import("./pages/audit.js"),
    address: (workspace) => pageAddress(workspace, "audit"),
  },
  {
    name: "chain", title: "Chain", element: "chain-page", permission: "audit:read", parent: "audit",
    path: new RegExp(`^${WORKSPACE}/audit/chain/?$`), load: () => import("./pages/chain.js"),
  },
  {
    name: "audit-row", title: "Row", element: "audit-row-page", permission: "audit:read", parent: "audit",
    path: new RegExp(`^${WORKSPACE}/audit/(?<call>[^/]+)/?$`), load: () => import("./pages/audit-row.js"),
  },
  {
    name: "people", title: "People", element: "people-page", permission: "members:read",
    path: new RegExp(`^${WORKSPACE}/people/?$`), load: () => import("./pages/people.js"),
    address: (workspace) => pageAddress(workspace, "people"),
  },
  {
    name: "person", title: "Member", element: "person-page", permission: "members:read", parent: "people",
    path: new RegExp(`^${WORKSPACE}/people/(?<user>[^/]+)/?$`), load: () => import("./pages/person.js"),
  },
  {
    name: "keys", title: "Keys", element: "keys-page", permission: "keys:manage",
    path: new RegExp(`^${WORKSPACE}/keys/?$`), load: () => import("./pages/keys.js"),
    address: (workspace) => pageAddress(workspace, "keys"),
  },
  {
    name: "new-key", title: "Make a key", element: "new-key-page", permission: "keys:manage", parent: "keys",
    path: new RegExp(`^${WORKSPACE}/keys/new/?$`), load: () => import("./pages/new-key.js"),
  },
  {
    name: "settings", title: "Settings", element: "settings-page", permission: "settings:manage",
    path: new RegExp(`^${WORKSPACE}/settings/?$`), load: () => import("./pages/settings.js"),
    address: (workspace) => pageAddress(workspace, "settings"),
  },
  {
    name: "promotions", title: "Promotions", element: "promotions-page", permission: "agents:manage",
    parent: "settings",
    path: new RegExp(`^${WORKSPACE}/settings/promotions/?$`),
    load: () => import("./pages/promotions.js"),
  },
  {
    name: "connect", title: "Connect", element: "connect-page",
    path: new RegExp(`^${WORKSPACE}/connect/?$`), load: () => import("./pages/connect.js"),
    address: (workspace) => pageAddress(workspace, "connect"),
  },
  {
    name: "grants", title: "Grants of conversations", element: "grants-page", permission: "confirmations:read",
    parent: "inbox", path: new RegExp(`^${WORKSPACE}/inbox/grants/?$`),
    load: () => import("./pages/grants.js"),
  },
  {
    name: "confirmation", title: "Confirmation", element: "confirmation-page", permission: "confirmations:read",
    parent: "inbox", path: new RegExp(`^${WORKSPACE}/inbox/(?<id>[^/]+)/?$`),
    load: () => import("./pages/confirmation.js"),
  },
  {
    name: "account", title: "Account", element: "account-page",
    path: /^\/console\/account\/?$/, load: () => import("./pages/account.js"),
  },
];

/** The navigation: groups of names of pages. A group without a page that the caller may open is not shown. */
export const NAVIGATION = [
  { title: "", pages: ["inbox"] },
  { title: "Tools", pages: ["actions", "lists", "connect"] },
  { title: "Record", pages: ["audit"] },
  { title: "Workspace", pages: ["people", "keys", "settings"] },
];

/** Who may open a page that needs a permission. @type {Record<string, string>} */
export const WHO_MAY = {
  "confirmations:read": "every active member of the workspace",
  "members:read": "every active member of the workspace",
  "audit:read": "admins and owners",
  "keys:manage": "admins and owners",
  "settings:manage": "admins and owners",
  "agents:manage": "editors, admins and owners",
};

/** @param {string} name */
export const route = (name) => ROUTES.find((one) => one.name === name);

/**
 * The page of an address, with the workspace that it names as it stands there: an id needs no decoding.
 * @param {string} pathname
 */
export function match(pathname) {
  for (const one of ROUTES) {
    const found = one.path.exec(pathname);
    if (found) return { route: one, workspace: found.groups?.workspace ?? null };
  }
  // Only the workspace: its first page.
  const bare = new RegExp(`^${WORKSPACE}/?$`).exec(pathname);
  return { route: null, workspace: bare?.groups?.workspace ?? null };
}

/** @param {string} workspace */
export const home = (workspace) => pageAddress(workspace, "inbox");
