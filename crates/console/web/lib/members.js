// Members and keys: their types, and what a scope means in words.

/**
 * @typedef {import("../types.d.ts").paths} Paths
 * @typedef {Paths["/v1/members"]["get"]["responses"][200]["content"]["application/json"]} MemberPage
 * @typedef {MemberPage["items"][number]} Member
 * @typedef {Paths["/v1/members/{user_id}"]["get"]["responses"][200]["content"]["application/json"]} MemberWithDelegates
 * @typedef {Paths["/v1/members/{user_id}"]["patch"]["responses"][200]["content"]["application/json"]} MemberChange
 * @typedef {Paths["/v1/keys"]["get"]["responses"][200]["content"]["application/json"]} KeyPage
 * @typedef {KeyPage["items"][number]} Key
 * @typedef {Paths["/v1/access/scopes"]["get"]["responses"][200]["content"]["application/json"]["items"][number]} Scope
 */

/** Roles, from least to most permissions. */
export const ROLES = ["viewer", "member", "editor", "admin", "owner"];

/** What a role is for. @type {Record<string, string>} */
export const ROLE_NOTE = {
  viewer: "reads",
  member: "reads and does day-to-day work",
  editor: "also manages agents, playbooks, documents and the like",
  admin: "also deletes, and administers members, keys and settings",
  owner: "has every permission, and may weaken settings",
};

/** @param {Member} one */
export const memberName = (one) => one.display_name ?? one.subject;

/** Scopes that no pattern implies. @type {Record<string, string>} */
export const SPECIAL_SCOPES = {
  act_as: "act for any member it names",
  "approvals:relay": "relay decisions of users",
  "records:write": "report records: executions, messages, documents",
  "events:read": "read the stream of events",
};

/** @type {Record<string, string>} */
const VERBS = {
  read: "read", use: "use", manage: "change", delete: "delete", billing: "see the bill of",
  change_role: "change the role of", impersonate: "act as", "*": "do everything with",
};

/**
 * A scope in words: `tasks:use` is "use tasks". One that is not known stays as it is.
 * @param {string} scope
 */
export function scopeInWords(scope) {
  if (Object.hasOwn(SPECIAL_SCOPES, scope)) return SPECIAL_SCOPES[scope];
  const [resource, verb] = scope.split(":");
  if (!verb || !Object.hasOwn(VERBS, verb)) return scope;
  const what = resource === "*" ? "everything of the platform" : resource === "tools" ? "the tools of every toolset"
    : resource.replaceAll("_", " ");
  return `${VERBS[verb]} ${what}`;
}

/** Permissions by resource. @param {string[]} permissions */
export function byResource(permissions) {
  const resources = [...new Set(permissions.map((one) => one.split(":")[0]))];
  return resources.map((resource) => permissions.filter((one) => one.startsWith(`${resource}:`)));
}
