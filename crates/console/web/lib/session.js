// The session: who is signed in, until when, and which ways to sign in there are.
import { call, sessionEvents } from "./api.js";

/**
 * @typedef {{ user_id: string, name: string | null, role: string, workspace: string, packs: string[] }} Person
 * @typedef {object} Session
 * @property {boolean} signed_in
 * @property {{ id: string, issuer: string, subject: string, name: string | null }} [user]
 * @property {boolean} [system_admin]
 * @property {string} [ends_at] RFC 3339
 * @property {("token" | "link" | "oidc")[]} ways
 * @property {string} [public_url] where the identity provider sends browsers back to
 * @property {Person[]} [people] whom this session may become, in a demo
 */

/** Words for the roles of people in a workspace. @type {Record<string, string>} */
export const ROLE = { viewer: "Viewer", member: "Member", editor: "Editor", admin: "Admin", owner: "Owner" };

const tabs = new BroadcastChannel("toolcrib-session");
tabs.addEventListener("message", () => sessionEvents.dispatchEvent(new CustomEvent("signed-out")));
sessionEvents.addEventListener("signed-out", (event) => {
  // A message of another tab is a CustomEvent, and is not passed on: two tabs would send it without end.
  if (!(event instanceof CustomEvent)) tabs.postMessage("signed-out");
});

/** @returns {Promise<Session>} */
export const readSession = () => call("GET", "/console/session");

/** @param {string} token a token, or the code of a one-time link */
export const signIn = (token) => call("POST", "/console/session", { token });

/** Begins a sign-in with the code of an invitation; the browser leaves for the provider. @param {string} code */
export async function acceptInvitation(code) {
  const { location: address } = await call("POST", "/console/login/start", {
    body: { invitation: code }, signsIn: true,
  });
  location.assign(address);
}

/** Goes on as another person. @param {string} user id of one of `people` */
export async function become(user) {
  await call("POST", "/console/session", { body: { as: user } });
  // Nothing of the former person stays in the page.
  location.assign("/console/");
}

/** Ends this session, or all sessions of the user. @param {boolean} everywhere */
export async function signOut(everywhere) {
  await call("DELETE", everywhere ? "/console/sessions" : "/console/session");
  tabs.postMessage("signed-out");
  location.replace("/console/login");
}

/**
 * Where to go after signing in: the address that was wanted, if it is one of the console or of a confirmation.
 * @param {string | null} wanted
 */
export function destination(wanted) {
  const home = "/console/";
  if (!wanted || !/^\/(console|approve)\/(?!\/)[^\\\p{Cc}]*$/u.test(wanted)) return home;
  const url = new URL(wanted, location.origin);
  // The parser resolves `..`, so that the prefix is looked at again.
  const inside = /^\/(console|approve)\//.test(url.pathname) && url.origin === location.origin;
  return inside && url.pathname !== "/console/login" ? url.pathname + url.search : home;
}

/** The address of the sign-in page that comes back to this one. */
export function loginAddress() {
  return `/console/login?${new URLSearchParams({ next: location.pathname + location.search })}`;
}
