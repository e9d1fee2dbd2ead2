// Why nobody is signed in, and how to go on.
import { ApiError } from "./api.js";

/**
 * What went wrong at the provider, from which the browser came back with the code of an error.
 * @param {string | null} code
 */
export function refusedByProvider(code) {
  if (!code) return null;
  if (code === "authorization_unavailable") {
    const detail = "your organization's sign-in can't be reached now";
    return new ApiError({ detail, hint: "try again in a minute", code }, 0);
  }
  const hint = "begin again; it must end in the same browser, within ten minutes";
  return new ApiError({ detail: "the sign-in was not finished", hint, code: "unauthenticated" }, 0);
}

/** A link that did not sign in: it was used, or its ten minutes are over. @param {ApiError} error */
export function usedLink({ problem: { code, request_id } }) {
  const detail = "this link no longer works: it was used already, or it is older than ten minutes";
  const hint = "get another: whoever runs the service prints one with `toolcrib console link --user USER`, and a demo "
    + "prints one each time it starts";
  return new ApiError({ detail, hint, code, request_id }, 401);
}
