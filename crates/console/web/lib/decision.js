// Sends a decision, and reads from the service what came of it: the answer may be lost, or somebody was quicker.
import { asApiError } from "./api.js";
import { get } from "./confirmations.js";
import { pause } from "./time.js";

/**
 * @typedef {import("./confirmations.js").Confirmation} Confirmation
 * @typedef {import("./api.js").ApiError} ApiError
 * @typedef {{ status?: string, phrase?: string, confirmation?: { id: string } }} Answer of an approval: its step
 * @typedef {object} Attempt
 * @property {Confirmation | null} one as it is now; null if it can't be seen any more
 * @property {ApiError | null} error
 * @property {Answer | null} answer
 */

/**
 * Whether it is not known what came of it: no answer, or that of a service or proxy in trouble.
 * @param {ApiError} error
 */
export const isLost = (error) => error.status === 0 || error.status >= 500;

/**
 * @param {import("./api.js").Service} service
 * @param {string} id
 * @param {() => Promise<Answer>} work
 * @param {{ lost: () => void, given: () => boolean }} options `lost` is called where no answer came; `given` says
 *   whether nobody waits for one any more
 * @returns {Promise<Attempt>}
 */
export async function decide(service, id, work, options) {
  /** @type {[Answer | null, ApiError | null]} */
  const [answer, error] = await work().then((value) => [value, null], (caught) => [null, asApiError(caught)]);
  if (error && isLost(error)) options.lost();
  return { answer, error, one: await ask(service, id, options.given) };
}

/**
 * Asks how a confirmation is, until the service answers.
 * @param {import("./api.js").Service} service @param {string} id @param {() => boolean} given up
 * @returns {Promise<Confirmation | null>}
 */
async function ask(service, id, given) {
  for (let failures = 0; ; failures += 1) {
    try {
      return await get(service, id);
    } catch (caught) {
      const error = asApiError(caught);
      if (!isLost(error) && error.status !== 429) return null;
    }
    await new Promise((done) => setTimeout(done, pause(failures)));
    if (given()) return null;
  }
}
