-- What happened, what waits, what is told: audit, confirmations, idempotency, events, notifications.
CREATE TABLE action_log (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  occurred_at BIGINT NOT NULL,
  kind TEXT NOT NULL,
  action TEXT NOT NULL,
  permission_level TEXT NOT NULL,
  via TEXT NOT NULL,
  surface TEXT NOT NULL,
  principal_kind TEXT NOT NULL,
  principal_id UUID NOT NULL,
  user_id UUID,
  credential_id UUID,
  role TEXT,
  system_admin BOOLEAN NOT NULL,
  caller_type TEXT NOT NULL,
  caller_name TEXT,
  session TEXT,
  mission_id UUID,
  decision TEXT NOT NULL,
  granted_by TEXT,
  always_allow BOOLEAN NOT NULL,
  relayed_by UUID,
  reason TEXT,
  arguments TEXT NOT NULL,
  target TEXT,
  error_code TEXT,
  outcome TEXT NOT NULL,
  duration_ms BIGINT NOT NULL,
  request_id TEXT NOT NULL,
  trace_id TEXT,
  confirmation_id UUID,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX action_log_by_time ON action_log (workspace_id, occurred_at, id);
SELECT guard_tenant('action_log', 'SELECT, INSERT');
CREATE TABLE audit_chain (
  workspace_id UUID NOT NULL,
  seq BIGINT NOT NULL,
  row_id UUID NOT NULL,
  row_hash TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  sealed_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, seq),
  UNIQUE (workspace_id, row_id)
);
SELECT guard_tenant('audit_chain', 'SELECT');
CREATE TABLE audit_checkpoints (
  workspace_id UUID NOT NULL,
  seq BIGINT NOT NULL,
  hash TEXT NOT NULL,
  signature TEXT NOT NULL,
  made_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, seq)
);
SELECT guard_tenant('audit_checkpoints', 'SELECT');
CREATE TABLE confirmations (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  action TEXT NOT NULL,
  schema_digest TEXT NOT NULL,
  arguments TEXT NOT NULL,
  arguments_digest TEXT NOT NULL,
  target_id UUID,
  target_label TEXT,
  target_detail TEXT,
  target_version BIGINT,
  summary TEXT NOT NULL,
  more BIGINT NOT NULL,
  warning TEXT,
  level TEXT NOT NULL,
  requester TEXT NOT NULL,
  requester_kind TEXT NOT NULL,
  requester_id UUID NOT NULL,
  requester_user_id UUID,
  session TEXT,
  tool_call_id TEXT,
  tool_format TEXT,
  via TEXT NOT NULL,
  surface TEXT NOT NULL,
  request_id TEXT NOT NULL,
  idempotency_key TEXT,
  status TEXT NOT NULL,
  phrase_attempts BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  decided_at BIGINT,
  decided_by UUID,
  reason TEXT,
  call_id UUID,
  result TEXT,
  history TEXT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX confirmations_by_status ON confirmations (workspace_id, status, created_at);
SELECT guard_tenant('confirmations', 'SELECT, INSERT, UPDATE');
CREATE TABLE idempotency (
  workspace_id UUID NOT NULL,
  principal_id UUID NOT NULL,
  action TEXT NOT NULL,
  key TEXT NOT NULL,
  arguments_digest TEXT NOT NULL,
  status BIGINT,
  body TEXT,
  confirmation_id UUID,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, principal_id, action, key)
);
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);
SELECT guard_tenant('idempotency', 'SELECT, INSERT, UPDATE, DELETE');
CREATE TABLE events (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  session TEXT,
  user_id UUID,
  permission TEXT,
  data TEXT NOT NULL,
  occurred_at BIGINT NOT NULL,
  UNIQUE (workspace_id, id)
);
CREATE INDEX events_by_workspace ON events (workspace_id, seq);
SELECT guard_tenant('events', 'SELECT, INSERT');
CREATE TABLE notifications (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  kind TEXT NOT NULL,
  audience TEXT NOT NULL,
  user_id UUID,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  data TEXT NOT NULL,
  call_id UUID,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
SELECT guard_tenant('notifications', 'SELECT, INSERT');
CREATE TABLE notification_reads (
  workspace_id UUID NOT NULL,
  notification_id UUID NOT NULL,
  user_id UUID NOT NULL,
  read_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, notification_id, user_id)
);
SELECT guard_tenant('notification_reads', 'SELECT, INSERT');

-- Audit batches of reads span tenants: a role of their own that may only insert.
CREATE POLICY batches ON action_log FOR INSERT TO toolcrib_audit WITH CHECK (true);
GRANT INSERT ON action_log TO toolcrib_audit;
-- Workers look across tenants, on these tables only.
GRANT SELECT ON action_log, workspaces TO toolcrib_worker;
CREATE POLICY workers ON action_log FOR SELECT TO toolcrib_worker USING (true);
CREATE POLICY workers ON workspaces FOR SELECT TO toolcrib_worker USING (true);
GRANT SELECT, INSERT ON audit_chain, audit_checkpoints, events, notifications TO toolcrib_worker;
CREATE POLICY workers ON audit_chain TO toolcrib_worker USING (true) WITH CHECK (true);
CREATE POLICY workers ON audit_checkpoints TO toolcrib_worker USING (true) WITH CHECK (true);
CREATE POLICY workers ON events TO toolcrib_worker USING (true) WITH CHECK (true);
CREATE POLICY workers ON notifications TO toolcrib_worker USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE ON confirmations TO toolcrib_worker;
CREATE POLICY workers ON confirmations TO toolcrib_worker USING (true) WITH CHECK (true);
GRANT SELECT, DELETE ON idempotency TO toolcrib_worker;
CREATE POLICY workers ON idempotency TO toolcrib_worker USING (true) WITH CHECK (true);
