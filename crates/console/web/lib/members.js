// Members and keys: their types, and words for them.

/**
 * @typedef {import("../types.d.ts").paths} Paths
 * @typedef {Paths["/v1/members"]["get"]["responses"][200]["content"]["application/json"]} MemberPage
 * @typedef {MemberPage["items"][number]} Member
 * @typedef {Paths["/v1/members/{user_id}"]["get"]["responses"][200]["content"]["application/json"]} MemberWithDelegates
 * @typedef {Paths["/v1/members/{user_id}"]["patch"]["responses"][200]["content"]["application/json"]} MemberChange
 * @typedef {Paths["/v1/invitations"]["get"]["responses"][200]["content"]["application/json"]} InvitationPage
 * @typedef {InvitationPage["items"][number]} Invitation
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

/**
 * What a scope lets a key do, in the words of the service. One that it does not list, such as those of one toolset,
 * stays as it is.
 * @param {Scope[]} scopes @param {string} scope
 */
export const scopeInWords = (scopes, scope) => scopes.find((one) => one.scope === scope)?.description ?? scope;

/** Permissions by resource. @param {string[]} permissions */
export function byResource(permissions) {
  const resources = [...new Set(permissions.map((one) => one.split(":")[0]))];
  return resources.map((resource) => permissions.filter((one) => one.startsWith(`${resource}:`)));
}
