// Why nobody is signed in, and how to go on.
import { ApiError } from "./api.js";

/**
 * What went wrong, and how to go on, by the word in the address of the sign-in page. Those of settings are for whoever
 * runs the service; `auth/src/sign_in_problem.rs` has the same words.
 * @type {Record<string, [string, string]>}
 */
const PROBLEMS = {
  authorization_unavailable: ["your organization's sign-in can't be reached now", "try again in a minute"],
  rate_limited: ["too many sign-ins from this address failed", "try again in a minute"],
  invitation: [
    "this invitation can't be used: it was used, has ended, or was withdrawn",
    "ask for a new one; if you are a member already, sign in without it",
  ],
  invitation_email: [
    "this invitation is for another e-mail address than your organization's sign-in confirms for you",
    "sign in with that address, which must be verified there, or ask for an invitation for yours",
  ],
  issuer: [
    "the identity provider names another issuer than this service expects",
    "whoever runs the service: set `issuer` to the `issuer` in the provider's `/.well-known/openid-configuration`",
  ],
  jwks_url: [
    "the identity provider's token is signed by no key that this service has",
    "whoever runs the service: set `jwks_url` to the `jwks_uri` in the provider's `/.well-known/openid-configuration`",
  ],
  console_client_id: [
    "the identity provider's token is for another client than this service",
    "whoever runs the service: set `console_client_id` to the client's ID at the provider",
  ],
  console_client_secret: [
    "the identity provider does not accept the credential of this service",
    "whoever runs the service: set `console_client_secret` to the secret of the client `console_client_id`",
  ],
  redirect_uri: [
    "the identity provider does not know this service, or not the address that it returns to",
    "whoever runs the service: register `<public_url>/console/login/done` as a redirect address of the client "
      + "`console_client_id`, or set `public_url` to the registered one",
  ],
  clock: [
    "the clocks of the identity provider and of this service differ too much",
    "whoever runs the service: set the clocks of both by NTP, or raise `token_leeway_seconds`",
  ],
};
const UNFINISHED = ["the sign-in was not finished", "begin again; it must end in the same browser, within ten minutes"];

/**
 * What went wrong at the provider, from which the browser came back with the code of an error.
 * @param {string | null} code
 */
export function refusedByProvider(code) {
  if (!code) return null;
  const [detail, hint] = PROBLEMS[code] ?? UNFINISHED;
  const known = code === "authorization_unavailable" ? code : "unauthenticated";
  return new ApiError({ detail, hint, code: known }, 0);
}

/** A link that did not sign in: it was used, or its ten minutes are over. @param {ApiError} error */
export function usedLink({ problem: { code, request_id } }) {
  const detail = "this link no longer works: it was used already, or it is older than ten minutes";
  const hint = "get another: whoever runs the service prints one with `toolcrib console link --user USER`, and a demo "
    + "prints one each time it starts";
  return new ApiError({ detail, hint, code, request_id }, 401);
}
