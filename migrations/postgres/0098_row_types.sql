-- The types of rows that are inserted in bulk, as arrays: reading them costs half of what reading JSON costs. A type has the
-- columns of its table that the service writes, in the order of its program, and never changes: a process of another version
-- may still use it. A table with a new column gets a new type.
CREATE TYPE action_log_row AS (
  workspace_id UUID, id UUID, occurred_at BIGINT, kind TEXT, action TEXT, permission_level TEXT, via TEXT,
  surface TEXT, principal_kind TEXT, principal_id UUID, user_id UUID, credential_id UUID, role TEXT,
  system_admin BOOLEAN, caller_type TEXT, caller_name TEXT, session TEXT, mission_id UUID, decision TEXT,
  granted_by TEXT, always_allow BOOLEAN, relayed_by UUID, reason TEXT, arguments TEXT, target TEXT,
  error_code TEXT, outcome TEXT, duration_ms BIGINT, request_id TEXT, trace_id TEXT, confirmation_id UUID,
  minters TEXT, edited_by UUID, issuer TEXT, subject TEXT, repaired TEXT, executor TEXT, definition TEXT,
  call_ref UUID, reported_by UUID
);
CREATE TYPE events_row AS (
  workspace_id UUID, id UUID, name TEXT, kind TEXT, session TEXT, user_id UUID, permission TEXT, data TEXT,
  occurred_at BIGINT
);
CREATE TYPE audit_chain_row AS (
  workspace_id UUID, seq BIGINT, row_id UUID, row_hash TEXT, prev_hash TEXT, hash TEXT, newest BIGINT,
  sealed_at BIGINT
);
