/** A client of Toolcrib for chatbots: tool lists, calls, confirmations, events, and outcomes of calls that you run. */
export { Toolcrib, type EventOptions, type Options, type Token } from './client.js';
export { ToolcribError } from './errors.js';
export type { ToolcribEvent } from './events.js';
export type * from './types.js';
