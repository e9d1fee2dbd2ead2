/** `<toolcrib-approvals>`: what waits for a person in Toolcrib, inside of another front end's page. */

/** An error of the service, in the form of RFC 9457. */
export interface Problem {
  /** 0 if the service did not answer. */
  status: number;
  /** A stable word for the kind of error. */
  code?: string;
  detail?: string;
  /** How to mend the call. */
  hint?: string;
  /** Identifies the request in the service's log. */
  request_id?: string;
}

/** A text, or a function that is called for each connection, and once more with `true` after a 401. */
export type Token = string | ((again: boolean) => string | Promise<string>);

export interface CountDetail {
  /** How many confirmations wait now. */
  count: number;
}

export interface EndedDetail {
  /** ID of the confirmation. */
  id: string;
  /** How it ended, such as `executed`, `failed`, `denied`, `expired` or `void`. */
  status: string;
  /** The results of a model's call, in the format of the call. They replace those that said that it waits. */
  messages: unknown[];
}

export interface ErrorDetail {
  problem: Problem;
}

/** The element's own events. Each bubbles, and leaves shadow roots. */
export interface ToolcribEventMap {
  "toolcrib-count": CustomEvent<CountDetail>;
  "toolcrib-ended": CustomEvent<EndedDetail>;
  "toolcrib-error": CustomEvent<ErrorDetail>;
}

export type Theme = "auto" | "light" | "dark";

/** What can be set on the element, before or after it is defined. */
export interface ToolcribApprovalsProperties {
  /** Origin of the service, such as `https://toolcrib.example`. */
  base: string;
  /** ID of the workspace. */
  workspace: string;
  /** The conversation; without it everything that the token may see. */
  session: string | null;
  /** Level of the cards' headings: 2 if it is not set. Attribute: `heading-level`. */
  headingLevel: number;
  theme: Theme;
  /** There is no attribute for it. */
  token: Token | null;
  /** Texts in place of the element's own, by their keys. There is no attribute for it. */
  strings: Partial<Record<string, string>>;
}

// The element has every property.
export interface ToolcribApprovals extends ToolcribApprovalsProperties {}

export class ToolcribApprovals extends HTMLElement {
  /** Asks the service again, and forgets what has ended. */
  refresh(): Promise<void>;
  addEventListener<K extends keyof ToolcribEventMap>(type: K,
    listener: (this: ToolcribApprovals, event: ToolcribEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions): void;
  addEventListener<K extends keyof HTMLElementEventMap>(type: K,
    listener: (this: ToolcribApprovals, event: HTMLElementEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "toolcrib-approvals": ToolcribApprovals;
  }
  interface GlobalEventHandlersEventMap extends ToolcribEventMap {}
}
