-- Calls that run outside this service: those that the caller runs, and those of which an upstream's response is awaited.
-- `arguments` are the raw ones, which are kept while the call is open: `ready` until it is claimed by `claim_by`, then
-- `running` until `end_by`. `result` and `report_digest` are of the report that ended the call.
CREATE TABLE open_calls (
  workspace_id UUID NOT NULL,
  call_id UUID NOT NULL,
  executor TEXT NOT NULL,
  action TEXT NOT NULL,
  definition TEXT NOT NULL,
  principal_kind TEXT NOT NULL,
  principal_id UUID NOT NULL,
  user_id UUID,
  session TEXT,
  requester TEXT NOT NULL,
  arguments TEXT,
  arguments_digest TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ready', 'running', 'succeeded', 'failed', 'not_run', 'unknown')),
  created_at BIGINT NOT NULL,
  claim_by BIGINT,
  end_by BIGINT,
  claimed_at BIGINT,
  ended_at BIGINT,
  confirmation_id UUID,
  tool_call_id TEXT,
  tool_format TEXT,
  idempotency_key TEXT,
  result TEXT,
  report_digest TEXT,
  PRIMARY KEY (workspace_id, call_id),
  CHECK (arguments IS NULL OR state IN ('ready', 'running')),
  CHECK ((ended_at IS NULL) = (state IN ('ready', 'running')))
);
CREATE INDEX open_calls_by_time ON open_calls (workspace_id, created_at, call_id);
CREATE INDEX open_calls_by_user ON open_calls (workspace_id, user_id, created_at, call_id);
CREATE INDEX open_calls_by_principal ON open_calls (workspace_id, principal_id, created_at, call_id);
CREATE INDEX open_calls_open ON open_calls (workspace_id, created_at, call_id) WHERE state IN ('ready', 'running');
CREATE INDEX open_calls_to_claim ON open_calls (claim_by) WHERE state = 'ready';
CREATE INDEX open_calls_to_end ON open_calls (end_by) WHERE state = 'running';
CREATE INDEX open_calls_ended ON open_calls (ended_at) WHERE ended_at IS NOT NULL;
SELECT guard_tenant('open_calls', 'SELECT, INSERT, UPDATE');

-- A worker finds the calls whose time is over across workspaces and ends each inside its workspace. It deletes the
-- calls that ended long ago.
GRANT SELECT, DELETE ON open_calls TO toolcrib_worker;
CREATE POLICY workers ON open_calls TO toolcrib_worker USING (true) WITH CHECK (true);
