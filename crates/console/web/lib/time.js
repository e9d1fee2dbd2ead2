// Time by the server's clock: the browser's may be wrong.

/** Milliseconds that the server's clock is ahead of the browser's. */
let offset = 0;

/**
 * Sets the server's clock by a response. `Date` has whole seconds, so its middle is taken.
 * @param {string | null} date value of the header `Date`
 * @param {number} sentAt `Date.now()` when the request was sent
 */
export function syncClock(date, sentAt) {
  const server = Date.parse(date ?? "");
  if (Number.isNaN(server)) return;
  offset = server + 500 - (sentAt + Date.now()) / 2;
}

/** Milliseconds since 1970 by the server's clock. */
export function now() {
  return Date.now() + offset;
}

/**
 * The time left until an instant, as minutes and seconds, or hours and minutes: `12:41`, `3 h 05 min`.
 * `null` once it is over.
 * @param {string} instant RFC 3339
 */
export function timeLeft(instant) {
  const seconds = Math.floor((Date.parse(instant) - now()) / 1000);
  if (!(seconds >= 0)) return null;
  /** @param {number} n */
  const two = (n) => String(n).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} min`;
}

const SAME_DAY = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
const OTHER_DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/**
 * A point in time as people read it, in their own zone: `14:05` today, `19 Nov 2026, 08:44` on other days.
 * @param {string} instant RFC 3339
 */
export function formatTime(instant) {
  const date = new Date(instant);
  const today = new Date(now()).toDateString() === date.toDateString();
  return (today ? SAME_DAY : OTHER_DAY).format(date);
}

const SECOND = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const DAY_AND_SECOND = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** As `formatTime`, to the second. @param {string} instant RFC 3339 */
export function formatSecond(instant) {
  const date = new Date(instant);
  return (new Date(now()).toDateString() === date.toDateString() ? SECOND : DAY_AND_SECOND).format(date);
}

/**
 * Milliseconds before the next attempt: between half of a time that doubles from 1 s to 30 s, and all of it.
 * @param {number} failures
 */
export const backoff = (failures, random = Math.random()) =>
  Math.min(30_000, 1000 * 2 ** failures) * (0.5 + random / 2);
