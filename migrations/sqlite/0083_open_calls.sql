-- Calls that run outside this service: those that the caller runs, and those of which an upstream's response is awaited.
-- `arguments` are the raw ones, which are kept while the call is open: `ready` until it is claimed by `claim_by`, then
-- `running` until `end_by`. `result` and `report_digest` are of the report that ended the call.
CREATE TABLE open_calls (
  workspace_id BLOB NOT NULL,
  call_id BLOB NOT NULL,
  executor TEXT NOT NULL,
  action TEXT NOT NULL,
  definition TEXT NOT NULL,
  principal_kind TEXT NOT NULL,
  principal_id BLOB NOT NULL,
  user_id BLOB,
  session TEXT,
  requester TEXT NOT NULL,
  arguments TEXT,
  arguments_digest TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ready', 'running', 'succeeded', 'failed', 'not_run', 'unknown')),
  created_at INTEGER NOT NULL,
  claim_by INTEGER,
  end_by INTEGER,
  claimed_at INTEGER,
  ended_at INTEGER,
  confirmation_id BLOB,
  tool_call_id TEXT,
  tool_format TEXT,
  idempotency_key TEXT,
  result TEXT,
  report_digest TEXT,
  PRIMARY KEY (workspace_id, call_id),
  CHECK (arguments IS NULL OR state IN ('ready', 'running')),
  CHECK ((ended_at IS NULL) = (state IN ('ready', 'running')))
) STRICT;
CREATE INDEX open_calls_by_time ON open_calls (workspace_id, created_at, call_id);
CREATE INDEX open_calls_by_user ON open_calls (workspace_id, user_id, created_at, call_id);
CREATE INDEX open_calls_by_principal ON open_calls (workspace_id, principal_id, created_at, call_id);
CREATE INDEX open_calls_open ON open_calls (workspace_id, created_at, call_id) WHERE state IN ('ready', 'running');
CREATE INDEX open_calls_to_claim ON open_calls (claim_by) WHERE state = 'ready';
CREATE INDEX open_calls_to_end ON open_calls (end_by) WHERE state = 'running';
CREATE INDEX open_calls_ended ON open_calls (ended_at) WHERE ended_at IS NOT NULL;
