// A message of a chat, and what a UI message stream adds to it, as the AI SDK reads it.

/**
 * @typedef {import("../types.d.ts").paths["/v1/assistant/threads/{thread}"]["get"]} ReadThread
 * @typedef {ReadThread["responses"][200]["content"]["application/json"]} Thread
 * @typedef {Thread["messages"][number]["parts"][number] & { key?: string }} Part
 * @typedef {{ id: string, role: string, parts: Part[], metadata?: any, stopped?: boolean }} Message
 */

/**
 * The message of a person.
 * @param {string} text @returns {Message}
 */
export const ofPerson = (text) => ({ id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] });

/** @param {Message} message @param {string | undefined} id */
const call = (message, id) => message.parts.find((part) => part.toolCallId === id);

/** What each chunk does. @type {Record<string, (message: Message, chunk: any) => void>} */
const CHUNKS = {
  start(message, { messageId, messageMetadata }) {
    message.id = messageId;
    message.metadata = { ...message.metadata, ...messageMetadata };
  },
  "start-step": (message) => message.parts.push({ type: "step-start" }),
  "text-start": (message, { id }) => message.parts.push({ type: "text", text: "", key: id }),
  "text-delta": (message, { id, delta }) => append(message, id, delta),
  "reasoning-start": (message, { id }) => message.parts.push({ type: "reasoning", text: "", key: id }),
  "reasoning-delta": (message, { id, delta }) => append(message, id, delta),
  "tool-input-available"(message, { toolCallId, toolName, input }) {
    message.parts.push({ type: "dynamic-tool", toolCallId, toolName, input, state: "input-available" });
  },
  "tool-output-available"(message, { toolCallId, output }) {
    Object.assign(call(message, toolCallId) ?? {}, { state: "output-available", output });
  },
  "tool-output-error"(message, { toolCallId, errorText }) {
    Object.assign(call(message, toolCallId) ?? {}, { state: "output-error", errorText });
  },
  "tool-approval-request"(message, { toolCallId, approvalId }) {
    Object.assign(call(message, toolCallId) ?? {}, { state: "approval-requested", approval: { id: approvalId } });
  },
  "data-confirmation"(message, { id, data }) {
    const known = message.parts.find((part) => part.type === "data-confirmation" && part.id === id);
    if (known) known.data = data;
    else message.parts.push({ type: "data-confirmation", id, data });
  },
  "data-notice": (message, { data }) => message.parts.push({ type: "data-notice", text: data.text }),
  finish(message, { messageMetadata }) {
    message.metadata = { ...message.metadata, ...messageMetadata };
  },
  abort(message) {
    message.stopped = true;
  },
  error(_, { errorText }) {
    throw new Error(errorText);
  },
};

/** @param {Message} message @param {string} key @param {string} delta */
function append(message, key, delta) {
  const part = message.parts.findLast((one) => one.key === key);
  if (part) part.text += delta;
}

/**
 * Adds a chunk. Fails with what an error says. @param {Message} message @param {{ type: string }} chunk
 */
export const add = (message, chunk) => CHUNKS[chunk.type]?.(message, chunk);

/**
 * The confirmations for which the calls of a message wait.
 * @param {Message | undefined} message @returns {string[]}
 */
export function waitsFor(message) {
  const calls = (message?.parts ?? []).filter((part) => part.type === "dynamic-tool");
  return calls.flatMap((part) => {
    const output = /** @type {any} */ (part.output);
    if (part.state === "approval-requested") return part.approval?.id.split(".")[0] ?? [];
    return part.state === "output-available" && output?.status === "confirmation_required" ? output.confirmation : [];
  });
}
