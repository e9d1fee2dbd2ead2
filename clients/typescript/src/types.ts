/**
 * The bodies of answers, as the service sends them; it may add fields.
 *
 * Times are texts in RFC 3339, and IDs are UUIDs. Texts in `data`, `arguments` and `output` are written by users, agents and other
 * systems.
 */

/** The shape of a provider: Chat Completions, Responses, Messages, or Gemini. */
export type Format = 'openai' | 'openai_responses' | 'anthropic' | 'gemini';
export type ListFormat = Format | 'mcp';
export type Strategy = 'full' | 'filtered' | 'dispatcher_only' | 'all' | 'none';
export type PermissionLevel = 'read' | 'write' | 'destructive';
export type ConfirmationLevel = 'simple' | 'typed';
export type ConfirmationStatus =
  | 'pending' | 'awaiting_phrase' | 'running' | 'executed' | 'failed' | 'unknown' | 'denied' | 'expired' | 'superseded' | 'void';
export type CallState = 'ready' | 'running' | 'succeeded' | 'failed' | 'not_run' | 'unknown';
export type OutcomeStatus = 'succeeded' | 'failed' | 'not_run';
/** A message, a tool or a call in the shape of a provider. */
export type ProviderItem = Record<string, any>;

/** A page of a list; `next_cursor` is the `cursor` of the next one. */
export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** One wrong argument. `pointer` is a JSON pointer into the arguments, such as `/limit`. */
export interface ArgError {
  pointer: string;
  code: string;
  message: string;
  got?: unknown;
}

/** What a refusal says, as in RFC 9457. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  request_id: string;
  errors: ArgError[];
  hint?: string;
  action?: string;
  call_id?: string;
  call?: unknown;
  upstream_message?: string;
  retryable?: boolean;
  retry_after?: number;
}

/** Tools in the shape of the format; `tool_choice` is absent if there are none. */
export interface ToolList {
  tools: ProviderItem[];
  tool_choice?: any;
  strategy: Strategy;
  format: ListFormat;
  actions: number;
  tokens: number;
  strict: string[];
  strict_explained?: Record<string, any> | null;
  left_out: string[];
  catalog_version: string;
}

export interface FoundTool {
  name: string;
  score: number;
  description: string;
  permission_level: PermissionLevel;
  confirmation: 'none' | ConfirmationLevel;
  how_to_call: Record<string, any>;
  parameters?: Record<string, any>;
}

/** Tools for a task, best first. `hint` says so if none fits well. */
export interface ToolSearch {
  items: FoundTool[];
  hint: string | null;
}

export interface SummaryLine {
  label: string;
  value: string;
}

/** A call that ran. */
export interface Completed {
  ok: true;
  status: 'completed';
  call_id: string;
  action: string;
  via: 'direct' | 'dispatcher' | 'confirmation';
  permission_level: PermissionLevel;
  description: string;
  data: any;
  api_call: Record<string, any>;
  granted_by: 'auto' | 'session' | 'user';
  replayed: boolean;
  executed_at: string;
  duration_ms: number;
  truncated?: boolean;
  unreadable?: string;
  secret_shown?: boolean;
  tool_call_id?: string;
  repaired?: string[];
  messages?: ProviderItem[];
}

/** What a person is shown before they decide. */
export interface ConfirmationShown {
  id: string;
  level: ConfirmationLevel;
  warning: string | null;
  summary: SummaryLine[];
  more: number;
  expires_at: string;
  allow_session_grant: boolean;
  approve_url: string;
}

/** A call that waits for a person. */
export interface Waiting {
  ok: false;
  status: 'confirmation_required';
  call_id: string;
  action: string;
  permission_level: PermissionLevel;
  description: string;
  confirmation: ConfirmationShown;
  supersedes?: string[];
  tool_call_id?: string;
  repaired?: string[];
}

/** A call that you run. Claim it first if `claim` is true. */
export interface ToRun {
  ok: false;
  status: 'client_execution_required';
  call_id: string;
  action: string;
  permission_level: PermissionLevel;
  description: string;
  arguments: Record<string, any>;
  claim: boolean;
  claim_by?: string;
  tool_call_id?: string;
  repaired?: string[];
}

/** A call of a turn that did not run, or failed. */
export interface Refused {
  ok: false;
  status: 'refused' | 'failed';
  call_id?: string;
  action?: string;
  tool_call_id?: string;
  error: Problem;
}

/** What came of one call of a turn; `status` says which it is. */
export type CallResult = Completed | Waiting | ToRun | Refused;

export interface Unhandled {
  id: string;
  name: string;
  reason?: string | null;
}

/** The answers of a turn: `messages` to append to the conversation, and `results`, one for each call. */
export interface ToolAnswers {
  messages: ProviderItem[];
  results: CallResult[];
  to_run?: ToRun[];
  unhandled: Unhandled[];
}

export interface Requester {
  kind: 'user' | 'agent' | 'service';
  id: string;
  name: string | null;
  user_id: string | null;
  user_name: string | null;
  caller_type: string;
  session: string | null;
  mission: string | null;
}

/** Whether you may decide now. */
export interface CanDecide {
  allowed: boolean;
  reason: string | null;
  needs_sign_in: boolean;
  unchanged_only: boolean;
}

export interface Transition {
  at: string;
  status: ConfirmationStatus;
  by: string | null;
  by_name?: string | null;
  relayed_by?: string | null;
  replaced_arguments?: any;
}

/** A call that a person decides or has decided. */
export interface Confirmation {
  id: string;
  status: ConfirmationStatus;
  action: string;
  description: string;
  level: ConfirmationLevel;
  phrase?: string | null;
  warning: string | null;
  summary: SummaryLine[];
  more: number;
  arguments: Record<string, any>;
  repaired: string[];
  allow_session_grant: boolean;
  requester: Requester;
  created_at: string;
  expires_at: string;
  decided_at: string | null;
  decided_by: string | null;
  decided_by_name: string | null;
  can_decide: CanDecide;
  reason: string | null;
  call_id: string | null;
  approve_url: string;
  via: string;
  tool_call_id: string | null;
  tool_format: ListFormat | null;
  result: Record<string, any> | null;
  history: Transition[];
  /** Once it has ended, for the call of a model: they replace those that said to wait. */
  messages?: ProviderItem[];
}

/** The first approval of a typed confirmation: approve again with this phrase. */
export interface PhraseRequired {
  status: 'phrase_required';
  phrase: string;
  arguments?: Record<string, any>;
  summary?: SummaryLine[] | null;
}

/** What came of an approval; `status` says which it is. */
export type Approval = Completed | PhraseRequired | Waiting | ToRun;

/** A call that runs outside of the service. */
export interface OpenCall {
  call_id: string;
  action: string;
  permission_level?: PermissionLevel | null;
  state: CallState;
  executor: 'http' | 'mcp' | 'pack' | 'client';
  principal_kind: 'user' | 'agent' | 'service';
  principal_id: string;
  user_id: string | null;
  session: string | null;
  created_at: string;
  claim_by: string | null;
  claimed_at: string | null;
  end_by: string | null;
  ended_at: string | null;
  confirmation_id: string | null;
  tool_call_id: string | null;
  tool_format: ListFormat | null;
  result?: Record<string, any> | null;
  messages?: ProviderItem[];
}

/** Run the tool with exactly these arguments, and report the outcome by `end_by`. */
export interface ClaimedCall {
  call_id: string;
  action: string;
  arguments: Record<string, any>;
  end_by: string;
}

/** The outcome of a claimed call (`call_id`), or of a read (`action` and `tool_call_id`). */
export interface Outcome {
  status: OutcomeStatus;
  call_id?: string;
  action?: string;
  tool_call_id?: string;
  output?: unknown;
  error?: string;
}

/** `messages` replace those that said that you run the calls; `results` has one entry for each outcome. */
export interface Outcomes {
  messages: ProviderItem[];
  results: Record<string, any>[];
}
