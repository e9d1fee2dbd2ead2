import type { ArgError, Problem } from './types.js';

/**
 * A request that was refused, or that has no answer.
 *
 * Branch on `code`. The codes of the service are in its OpenAPI document (`Problem`). Two are this package's own:
 * `connection_failed` (no answer: no connection, or a time-out; `status` is 0) and `unreadable_answer` (an answer that is not the
 * service's, such as the page of a proxy).
 */
export class ToolcribError extends Error {
  override readonly name = 'ToolcribError';
  /** Status of the answer; 0 without an answer. */
  readonly status: number;
  readonly code: string;
  /** What is wrong, in one sentence. */
  readonly detail: string;
  /** What to do instead. */
  readonly hint: string | undefined;
  /** Each argument that is wrong. */
  readonly errors: ArgError[];
  /** The corrected call, if there is one. */
  readonly call: unknown;
  /** Seconds to wait before the request is sent again. */
  readonly retryAfter: number | undefined;
  /** The whole problem, as in RFC 9457; absent for the codes of this package. */
  readonly problem: Problem | undefined;

  constructor(status: number, code: string, detail: string, { problem, retryAfter, cause }: {
    problem?: Problem; retryAfter?: number | undefined; cause?: unknown;
  } = {}) {
    super(`${code}: ${detail}${problem?.hint ? ` (${problem.hint})` : ''}`, { cause });
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.hint = problem?.hint;
    this.errors = problem?.errors ?? [];
    this.call = problem?.call;
    this.retryAfter = retryAfter;
    this.problem = problem;
  }
}
