import { Connection, EventStream, SILENCE, TEMPORARY, type ToolcribEvent } from './events.js';
import { ToolcribError } from './errors.js';
import type {
  Approval, ClaimedCall, Completed, Confirmation, Format, ListFormat, OpenCall, Outcome, Outcomes, OutcomeStatus, Page, Problem,
  Strategy, ToolAnswers, ToolList, ToolSearch, ToRun, Waiting,
} from './types.js';

/** A token or key, or a function that returns the current one. */
export type Token = string | (() => string | Promise<string>);

export interface Options {
  baseUrl: string;
  token: Token;
  workspace?: string | undefined;
  /** The conversation. */
  session?: string | undefined;
  callerType?: string | undefined;
  onBehalfOf?: string | undefined;
  /** Seconds until an answer, beyond those for which the service was asked to wait. Default: 60. */
  timeout?: number | undefined;
  /** Seconds for which a request is repeated, in all. Default: 30. */
  retrySeconds?: number | undefined;
  fetch?: typeof fetch | undefined;
}

export interface EventOptions {
  types?: string[] | undefined;
  session?: string | undefined;
  lastEventId?: string | undefined;
  /** Ends the iterator, and closes its connection. */
  signal?: AbortSignal | undefined;
}

interface Request {
  body?: unknown;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Whether a repetition has no other effect than the first request. */
  repeatable?: boolean;
  /** Seconds for which the service may hold the answer. */
  held?: number | undefined;
}

/** Seconds between a request and its repetition, at least. */
const MIN_WAIT = 0.25;

/**
 * A caller of Toolcrib. Each request that is refused rejects with a `ToolcribError`.
 *
 * Requests that may be repeated without another effect are repeated after 429 and 503 with `Retry-After`, for `retrySeconds` in
 * all: reads, lists, reports of outcomes, and calls, which have an idempotency key. Decisions and claims are not repeated.
 */
export class Toolcrib {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = { ...options, baseUrl: options.baseUrl.replace(/\/+$/, '') };
  }

  /** The conversation. */
  get session(): string | undefined {
    return this.#options.session;
  }

  /** The client with other values of some options. */
  withOptions(changes: Partial<Options>): Toolcrib {
    return new Toolcrib({ ...this.#options, ...changes });
  }

  /** Sends any request of the API and returns its JSON. Only `GET` is repeated. */
  request(method: string, path: string, body?: unknown, { query = {} }: { query?: Record<string, unknown> } = {}): Promise<any> {
    return this.#send(method, path, { body, query, repeatable: method === 'GET' });
  }

  // Lists

  /**
   * The tools that this caller may use, in the shape of the provider. With the strategy `filtered`, `query` is the user's message
   * and `context` has up to six texts before it, oldest first.
   */
  listTools({ format = 'openai', strategy = 'full', maxTokens, ...more }: {
    format?: ListFormat; strategy?: Strategy; query?: string; context?: string[]; strict?: 'off' | 'auto'; defer?: boolean;
    detail?: 'signatures' | 'names'; maxTokens?: number;
  } = {}): Promise<ToolList> {
    return this.#send('POST', '/v1/tools', { body: { format, strategy, max_tokens: maxTokens, ...more }, repeatable: true });
  }

  /** Tools for a task in plain words, best first. */
  searchTools(query: string, { includeSchema, ...more }: { limit?: number; category?: string; includeSchema?: boolean } = {}):
    Promise<ToolSearch> {
    return this.#send('POST', '/v1/tools/search', { body: { query, include_schema: includeSchema, ...more }, repeatable: true });
  }

  // Calls

  /**
   * Runs the calls of a model's turn, as the provider returned them, and returns the messages to append. A refused or waiting call
   * does not reject: it has its result. `wait` is for how many seconds (60 at most) decisions of people are waited for. Each turn
   * gets an idempotency key of its own, unless one is given.
   */
  callTools(toolCalls: readonly unknown[], { format = 'openai', idempotencyKey, ...more }: {
    format?: Format; foreign?: 'refuse' | 'skip'; wait?: number; idempotencyKey?: string;
  } = {}): Promise<ToolAnswers> {
    return this.#send('POST', '/v1/tools/calls', {
      body: { format, tool_calls: toolCalls, ...more }, headers: idempotency(idempotencyKey), repeatable: true, held: more.wait,
    });
  }

  /** Calls one action by its name. */
  callAction(action: string, given: Record<string, unknown> = {}, { idempotencyKey }: { idempotencyKey?: string } = {}):
    Promise<Completed | Waiting | ToRun> {
    const path = `/v1/actions/${encodeURIComponent(action)}`;
    return this.#send('POST', path, { body: given, headers: idempotency(idempotencyKey), repeatable: true });
  }

  // Confirmations

  /** Confirmations, newest first. `status` is one of a confirmation, or `open`, or `ended`. */
  listConfirmations(query: {
    status?: string; decidable?: boolean; session?: string; mine?: boolean; limit?: number; cursor?: string;
  } = {}): Promise<Page<Confirmation>> {
    return this.#send('GET', '/v1/confirmations', { query, repeatable: true });
  }

  /** One confirmation. `wait` is for how many seconds (60 at most) its decision is waited for. */
  getConfirmation(confirmation: string, { wait }: { wait?: number } = {}): Promise<Confirmation> {
    return this.#send('GET', confirmationPath(confirmation), { query: { wait }, repeatable: true, held: wait });
  }

  /**
   * Approves a call, for a person. For a typed confirmation the first approval has the status `phrase_required`; the second one has
   * the phrase that the person typed. With another phrase it rejects with the code `phrase_mismatch`.
   */
  approve(confirmation: string, { userToken, ...more }: {
    phrase?: string; remember?: 'session'; arguments?: Record<string, unknown>; userToken?: string;
  } = {}): Promise<Approval> {
    return this.#send('POST', `${confirmationPath(confirmation)}/approve`, { body: { user_token: userToken, ...more } });
  }

  /** Denies a call, for a person. The requester gets the reason. */
  deny(confirmation: string, { reason, userToken }: { reason?: string; userToken?: string } = {}): Promise<Confirmation> {
    return this.#send('POST', `${confirmationPath(confirmation)}/deny`, { body: { reason, user_token: userToken } });
  }

  // Events

  /**
   * Events as they happen, without an end. A connection that is lost is opened again after the last event. An answer that is not
   * temporary ends the iterator with its error, such as 401 when the credential has ended. What happens between two connections
   * before the first event or heartbeat is missed, unless `lastEventId` is given.
   */
  async *events({ types, session, lastEventId, signal }: EventOptions = {}): AsyncGenerator<ToolcribEvent, void, undefined> {
    const stream = new EventStream(lastEventId);
    const url = this.#url('/v1/events', { types: types?.length ? types.join(',') : undefined, session });
    while (!signal?.aborted) {
      let connected = false;
      const headers = { ...await this.#headers(), ...stream.headers() };
      const connection = new Reading(signal);
      try {
        const response = await connection.open(this.#fetch, url, headers);
        if (!TEMPORARY.includes(response.status)) {
          if (!response.ok || !response.body) await answer(response, 'GET', url.pathname);
          connected = stream.wasOpen = true;
          const parser = new Connection(stream);
          for await (const piece of connection.pieces(response)) yield* parser.read(piece);
        }
      } catch (error) {
        if (error instanceof ToolcribError || error instanceof SyntaxError) throw error;
        if (!stream.wasOpen && !signal?.aborted) throw noAnswer(error);
      } finally {
        connection.close();
      }
      await sleep(stream.wait(connected), signal);
    }
  }

  // Outcomes of calls that you run

  /** Calls that run outside of the service, newest first. */
  listCalls(query: { open?: boolean; mine?: boolean; limit?: number; cursor?: string } = {}): Promise<Page<OpenCall>> {
    return this.#send('GET', '/v1/calls', { query, repeatable: true });
  }

  /** One call. `wait` is for how many seconds (60 at most) its end is waited for. */
  getCall(call: string, { wait }: { wait?: number } = {}): Promise<OpenCall> {
    return this.#send('GET', callPath(call), { query: { wait }, repeatable: true, held: wait });
  }

  /** Claims a call before you run it. Of any number of claims one wins; the others reject with the code `conflict`. */
  claimCall(call: string): Promise<ClaimedCall> {
    return this.#send('POST', `${callPath(call)}/claim`, { body: {} });
  }

  /** Reports how a claimed call ended. */
  reportOutcome(call: string, status: OutcomeStatus, { output, error }: { output?: unknown; error?: string } = {}):
    Promise<OpenCall> {
    // The same report again has the same answer.
    return this.#send('POST', `${callPath(call)}/outcome`, { body: { status, output, error }, repeatable: true });
  }

  /** Reports up to 32 outcomes of a model's calls, and returns the messages for the conversation. */
  reportOutcomes(outcomes: readonly Outcome[], { format = 'openai' }: { format?: Format } = {}): Promise<Outcomes> {
    return this.#send('POST', '/v1/tools/outcomes', { body: { format, outcomes }, repeatable: true });
  }

  get #fetch(): typeof fetch {
    return this.#options.fetch ?? globalThis.fetch;
  }

  #url(path: string, query: Record<string, unknown>): URL {
    const url = new URL(this.#options.baseUrl + path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    return url;
  }

  async #headers(): Promise<Record<string, string>> {
    const { token, workspace, session, callerType, onBehalfOf } = this.#options;
    const given = {
      'X-Workspace-Id': workspace, 'X-Session-Id': session, 'X-Caller-Type': callerType, 'X-On-Behalf-Of': onBehalfOf,
    };
    const headers: Record<string, string> = { Authorization: `Bearer ${typeof token === 'string' ? token : await token()}` };
    for (const [name, value] of Object.entries(given)) if (value !== undefined) headers[name] = value;
    return headers;
  }

  async #send<Answer>(method: string, path: string, request: Request): Promise<Answer> {
    const { timeout = 60, retrySeconds = 30 } = this.#options;
    const url = this.#url(path, request.query ?? {});
    for (let left = retrySeconds; ;) {
      const headers = { ...await this.#headers(), ...request.headers };
      const signal = AbortSignal.timeout((timeout + (request.held ?? 0)) * 1000);
      const init: RequestInit = { method, headers, redirect: 'manual', signal };
      if (request.body !== undefined) {
        headers['Content-Type'] = 'application/json';
        init.body = JSON.stringify(request.body);
      }
      // Called without an object, as browsers ask of their own `fetch`.
      const send = this.#fetch;
      const response = await send(url, init).catch(error => { throw noAnswer(error); });
      const wait = waitBeforeRepeating(request, response, left);
      if (wait === undefined) return await answer(response, method, path) as Answer;
      await response.body?.cancel();
      left -= wait;
      await sleep(wait * 1000);
    }
  }
}

/** One connection of a stream of events, which ends when nothing comes for too long. */
class Reading {
  readonly #abort = new AbortController();
  readonly #signal: AbortSignal | undefined;
  readonly #close = () => this.#abort.abort();
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener('abort', this.#close);
    if (signal?.aborted) this.#close();
  }

  open(send: typeof fetch, url: URL, headers: Record<string, string>): Promise<Response> {
    this.#heard();
    return send(url, { headers, redirect: 'manual', signal: this.#abort.signal });
  }

  async *pieces(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
    const reader = response.body!.getReader();
    for (;;) {
      this.#heard();
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  }

  close(): void {
    clearTimeout(this.#silence);
    this.#signal?.removeEventListener('abort', this.#close);
    this.#close();
  }

  #heard(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(this.#close, SILENCE);
  }
}

function idempotency(key: string | undefined): Record<string, string> {
  return { 'Idempotency-Key': key ?? crypto.randomUUID() };
}

function callPath(call: string): string {
  return `/v1/calls/${encodeURIComponent(call)}`;
}

function confirmationPath(confirmation: string): string {
  return `/v1/confirmations/${encodeURIComponent(confirmation)}`;
}

/** Seconds after which a request is sent again, or undefined if it is not. `left` is how long it may still wait. */
function waitBeforeRepeating({ repeatable }: Request, response: Response, left: number): number | undefined {
  const after = retryAfter(response);
  if (!repeatable || ![429, 503].includes(response.status) || after === undefined) return undefined;
  const wait = Math.max(after, MIN_WAIT);
  return wait <= left ? wait : undefined;
}

function retryAfter(response: Response): number | undefined {
  const text = response.headers.get('Retry-After') ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The JSON of an answer, or its error. */
async function answer(response: Response, method: string, path: string): Promise<unknown> {
  const text = await response.text().catch(error => { throw noAnswer(error); });
  const body = parsed(text);
  if (response.ok && body !== undefined) return body;
  const more = { retryAfter: retryAfter(response) };
  if (isProblem(body)) throw new ToolcribError(response.status, body.code, body.detail, { problem: body, ...more });
  const detail = `${method} ${path}: no JSON of Toolcrib: ${JSON.stringify(text.slice(0, 200))}`;
  throw new ToolcribError(response.status, 'unreadable_answer', detail, more);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string';
}

function noAnswer(error: unknown): ToolcribError {
  const told = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const why = error instanceof Error && error.cause instanceof Error ? `${told} (${error.cause.message})` : told;
  return new ToolcribError(0, 'connection_failed', why, { cause: error });
}

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}
