-- What happened, what waits, what is told: audit, confirmations, idempotency, events, notifications.
CREATE TABLE action_log (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  occurred_at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  action TEXT NOT NULL,
  permission_level TEXT NOT NULL,
  via TEXT NOT NULL,
  surface TEXT NOT NULL,
  principal_kind TEXT NOT NULL,
  principal_id BLOB NOT NULL,
  user_id BLOB,
  credential_id BLOB,
  role TEXT,
  system_admin INTEGER NOT NULL,
  caller_type TEXT NOT NULL,
  caller_name TEXT,
  session TEXT,
  mission_id BLOB,
  decision TEXT NOT NULL,
  granted_by TEXT,
  always_allow INTEGER NOT NULL,
  relayed_by BLOB,
  reason TEXT,
  arguments TEXT NOT NULL,
  target TEXT,
  error_code TEXT,
  outcome TEXT NOT NULL,
  duration_ms INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  trace_id TEXT,
  confirmation_id BLOB,
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE INDEX action_log_by_time ON action_log (workspace_id, occurred_at, id);
CREATE TABLE audit_chain (
  workspace_id BLOB NOT NULL,
  seq INTEGER NOT NULL,
  row_id BLOB NOT NULL,
  row_hash TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  sealed_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, seq),
  UNIQUE (workspace_id, row_id)
) STRICT;
CREATE TABLE audit_checkpoints (
  workspace_id BLOB NOT NULL,
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL,
  signature TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, seq)
) STRICT;
CREATE TABLE confirmations (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  action TEXT NOT NULL,
  schema_digest TEXT NOT NULL,
  arguments TEXT NOT NULL,
  arguments_digest TEXT NOT NULL,
  target_id BLOB,
  target_label TEXT,
  target_detail TEXT,
  target_version INTEGER,
  summary TEXT NOT NULL,
  more INTEGER NOT NULL,
  warning TEXT,
  level TEXT NOT NULL,
  requester TEXT NOT NULL,
  requester_kind TEXT NOT NULL,
  requester_id BLOB NOT NULL,
  requester_user_id BLOB,
  session TEXT,
  tool_call_id TEXT,
  tool_format TEXT,
  via TEXT NOT NULL,
  surface TEXT NOT NULL,
  request_id TEXT NOT NULL,
  idempotency_key TEXT,
  status TEXT NOT NULL,
  phrase_attempts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by BLOB,
  reason TEXT,
  call_id BLOB,
  result TEXT,
  history TEXT NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE INDEX confirmations_by_status ON confirmations (workspace_id, status, created_at);
CREATE TABLE idempotency (
  workspace_id BLOB NOT NULL,
  principal_id BLOB NOT NULL,
  action TEXT NOT NULL,
  key TEXT NOT NULL,
  arguments_digest TEXT NOT NULL,
  status INTEGER,
  body TEXT,
  confirmation_id BLOB,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, principal_id, action, key)
) STRICT;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  session TEXT,
  user_id BLOB,
  permission TEXT,
  data TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  UNIQUE (workspace_id, id)
) STRICT;
CREATE INDEX events_by_workspace ON events (workspace_id, seq);
CREATE TABLE notifications (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  kind TEXT NOT NULL,
  audience TEXT NOT NULL,
  user_id BLOB,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  data TEXT NOT NULL,
  call_id BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE TABLE notification_reads (
  workspace_id BLOB NOT NULL,
  notification_id BLOB NOT NULL,
  user_id BLOB NOT NULL,
  read_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, notification_id, user_id)
) STRICT;

-- The log and its chain are append-only for everybody.
CREATE TRIGGER action_log_no_update BEFORE UPDATE ON action_log BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER action_log_no_delete BEFORE DELETE ON action_log BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_chain_no_update BEFORE UPDATE ON audit_chain BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END;
CREATE TRIGGER audit_chain_no_delete BEFORE DELETE ON audit_chain BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END;
