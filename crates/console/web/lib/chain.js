// Verifies an export of the audit log in the browser alone, as `scripts/verify-audit` does: the hash of each row and
// place, the order of places, and the signatures of checkpoints. `docs/audit.md` says what is computed.
import { canonical } from "./canonical.js";

/**
 * @typedef {Record<string, any>} Line
 * @typedef {{ line: number, seq: number | null, id: string | null, problem: string }} Defect
 * @typedef {object} Result
 * @property {number} places that were read, one for each row
 * @property {number} checkpoints whose signature was verified
 * @property {number} signed the last place that a checkpoint covers
 * @property {number | null} first @property {number | null} last places
 * @property {string | null} head hash of the last place
 * @property {string[]} workspaces
 * @property {string[]} keys that signed, in base64
 * @property {Defect[]} defects the first ones
 * @property {number} count of all defects
 */

/** Members of a line that are about its place, and not part of the row. */
const PLACE = ["seq", "row_hash", "prev_hash", "hash", "newest", "sealed_at"];
const SHOWN = 20;
const ZEROS = "0".repeat(64);

/** @param {string} text @returns {Promise<string>} SHA-256 in hexadecimal */
export async function sha256(text) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Lines that each end with a line feed, as they are hashed and signed. @param {unknown[]} parts */
const joined = (parts) => parts.map((part) => `${part}\n`).join("");

/** @param {Line} line */
const rowHash = (line) =>
  sha256(canonical(Object.fromEntries(Object.entries(line).filter(([key]) => !PLACE.includes(key)))));

/** @param {Line} line */
const placeHash = (line) => sha256(joined(["toolcrib-audit-1", line.workspace_id, line.seq, line.id, line.row_hash,
  line.prev_hash, line.newest, line.sealed_at]));

/** @param {string} text in base64 */
const binary = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

/** Whether a checkpoint has the signature of its key; throws where the browser has no Ed25519. @param {Line} line */
async function isSigned(line) {
  const message = joined(["toolcrib-audit-checkpoint-1", line.workspace_id, line.seq, line.hash, line.made_at]);
  try {
    const key = await crypto.subtle.importKey("raw", binary(line.public_key), "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", key, binary(line.signature), new TextEncoder().encode(message));
  } catch (caught) {
    if (caught instanceof DOMException && caught.name === "NotSupportedError") throw caught;
    // No key, or no base64.
    return false;
  }
}

export class ChainVerifier {
  /** @param {{ keys?: string[], partial?: boolean }} options `keys` that are trusted; none: every key is shown */
  constructor({ keys = [], partial = false } = {}) {
    this.trusted = keys;
    this.partial = partial;
    /** Hash by place. @type {Map<number, string>} */
    this.hashes = new Map();
    /** @type {Line | null} */
    this.before = null;
    this.number = 0;
    /** @type {Result} */
    this.result = {
      places: 0, checkpoints: 0, signed: 0, first: null, last: null, head: null, workspaces: [], keys: [], defects: [],
      count: 0,
    };
  }

  /** Verifies the next lines. @param {string[]} texts */
  async add(texts) {
    // The hashes of a batch are computed side by side; what follows what is looked at in order.
    const lines = await Promise.all(texts.map(read));
    for (const one of lines) {
      this.number += 1;
      if (!one) this.defect(null, "is no line of an export");
      else if (one.line.checkpoint) await this.checkpoint(one.line.checkpoint);
      else this.row(one.line, one.row, one.place);
    }
  }

  /** @param {Line} line @param {string} row @param {string} place hashes as they should be */
  row(line, row, place) {
    if (!this.follows(line)) this.defect(line, "does not follow the place before it");
    if (line.row_hash !== row) this.defect(line, "the row was changed");
    if (line.hash !== place) this.defect(line, "the place was changed");
    this.hashes.set(line.seq, line.hash);
    this.before = line;
    const { result } = this;
    result.places += 1;
    result.first ??= line.seq;
    [result.last, result.head] = [line.seq, line.hash];
    if (!result.workspaces.includes(line.workspace_id)) result.workspaces.push(line.workspace_id);
  }

  /** @param {Line} line */
  follows(line) {
    const { before, partial } = this;
    if (!before) return partial || (line.seq === 1 && line.prev_hash === ZEROS);
    if (line.seq === before.seq + 1) return line.prev_hash === before.hash && line.newest >= before.newest;
    return partial && line.seq > before.seq;
  }

  /** @param {Line} line */
  async checkpoint(line) {
    const key = String(line.public_key);
    if (!this.result.keys.includes(key)) this.result.keys.push(key);
    const hash = this.hashes.get(line.seq);
    const wrong = this.trusted.length && !this.trusted.includes(key) ? "is signed with a key that is not trusted"
      : !(await isSigned(line)) ? "has a signature that is wrong"
        : hash === undefined ? (this.partial ? "" : "is about a place that is not there")
          : hash !== line.hash ? "signed another hash" : null;
    if (wrong) this.defect({ seq: line.seq }, `the checkpoint ${wrong}`);
    if (wrong !== null) return;
    this.result.checkpoints += 1;
    this.result.signed = Math.max(this.result.signed, line.seq);
  }

  /** @param {Line | null} line @param {string} problem */
  defect(line, problem) {
    this.result.count += 1;
    if (this.result.defects.length >= SHOWN) return;
    this.result.defects.push({ line: this.number, seq: line?.seq ?? null, id: line?.id ?? null, problem });
  }
}

/** A line with the hashes that it should have; null if it is none of an export. @param {string} text */
async function read(text) {
  try {
    const line = JSON.parse(text);
    const known = line.checkpoint ?? line;
    if (!Number.isInteger(known.seq) || typeof known.hash !== "string") return null;
    if (line.checkpoint) return { line, row: "", place: "" };
    return { line, row: await rowHash(line), place: await placeHash(line) };
  } catch {
    return null;
  }
}
