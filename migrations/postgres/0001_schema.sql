-- The schema of Toolcrib's own database on PostgreSQL. `migrations/sqlite/0001_schema.sql` has the same tables and columns, and a
-- test compares them. Until the first release a change of the schema edits both files.
--
-- Ids are UUIDs (version 7), times are microseconds since 1970, and JSON is text. A table with `workspace_id` belongs to tenants.
-- `name_key` and `title_key` are a name as the program folds it for comparison, because the databases fold case differently.
-- Collation "C" is given to each column whose order or uniqueness matters, because the database's own collation may differ.
--
-- Sections: roles, tenancy, access, calls, audit, confirmations, events, agents, marketplace, assignments, governance, tasks,
-- missions, playbooks, schedules, memory, documents, messages, declared tools, datasources, reported records, assistant, alerts, upkeep.

-- ---------------------------------------------------------------------------------------------------------------------------
-- Roles
-- ---------------------------------------------------------------------------------------------------------------------------

-- Requests, audit batches and workers each have a role that owns nothing and can't log in. Roles exist once in a server, so that
-- another database or a process that runs at the same time may have created them.
DO $$
DECLARE wanted TEXT;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['toolcrib_app', 'toolcrib_audit', 'toolcrib_worker', 'toolcrib_lookup'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN NOBYPASSRLS NOSUPERUSER', wanted);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
    EXECUTE format('GRANT %I TO CURRENT_USER', wanted);
    EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', wanted);
  END LOOP;
END $$;

-- `toolcrib_lookup` owns the functions that read across workspaces, or past the policies of one (SECURITY DEFINER). Each of them
-- returns no more than its caller needs. Owning a function needs the right to create; the last statement of this file takes it
-- back.
GRANT CREATE ON SCHEMA public TO toolcrib_lookup;

-- The workspace of the transaction, which every policy compares.
CREATE FUNCTION current_workspace() RETURNS UUID LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('app.workspace_id', true), '')::uuid $$;

-- Gives a tenant's table row level security that binds its owner too, the policy by workspace, and the rights of requests.
CREATE FUNCTION guard_tenant(tenant_table REGCLASS, rights TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tenant_table);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', tenant_table);
  EXECUTE format('CREATE POLICY tenant ON %s TO PUBLIC USING (workspace_id = current_workspace()) WITH CHECK (workspace_id = current_workspace())', tenant_table);
  EXECUTE format('GRANT %s ON %s TO toolcrib_app', rights, tenant_table);
END $$;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Tenancy
-- ---------------------------------------------------------------------------------------------------------------------------

-- A tenant with its settings. `external_id` is the name of the workspace in tokens. `four_eyes`: whoever asked for a confirmation
-- may not approve it. `access_version` is incremented by each change that access depends on, `toolset_version` by each change of
-- the workspace's toolsets, in the same transaction. `promotions` says which actions have a tool of their own, where the workspace
-- differs from the default: {"caller_types": {"chat": [names]}, "agents": {"<id>": [names]}}. `write_share_percent` is the part of
-- the write limit that one person may use while another is active. `packs` are those that are on, each with the version of its
-- settings when it was switched on: "game:3,notes:1".
CREATE TABLE workspaces (
  id UUID NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  external_id TEXT UNIQUE,
  plan TEXT NOT NULL DEFAULT 'standard',
  approval_mode TEXT NOT NULL DEFAULT 'standard' CHECK (approval_mode IN ('standard', 'confirm_writes', 'read_only')),
  four_eyes BOOLEAN NOT NULL DEFAULT FALSE,
  agents_inherit_admin BOOLEAN NOT NULL DEFAULT FALSE,
  approve_url_template TEXT,
  write_per_minute BIGINT NOT NULL DEFAULT 10,
  read_per_minute BIGINT NOT NULL DEFAULT 600,
  external_per_minute BIGINT NOT NULL DEFAULT 60,
  default_model TEXT,
  access_version BIGINT NOT NULL DEFAULT 1,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT,
  promotions TEXT,
  write_share_percent BIGINT NOT NULL DEFAULT 60,
  open_confirmations BIGINT NOT NULL DEFAULT 50,
  open_confirmations_per_caller BIGINT NOT NULL DEFAULT 10,
  toolset_version BIGINT NOT NULL DEFAULT 0,
  client_per_minute BIGINT NOT NULL DEFAULT 120,
  packs TEXT NOT NULL DEFAULT '',
  assistant_run_microusd BIGINT,
  assistant_day_microusd BIGINT,
  assistant_background_microusd BIGINT,
  runner TEXT NOT NULL DEFAULT 'external' CHECK (runner IN ('external', 'internal'))
);
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE workspaces FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON workspaces USING (id = current_workspace()) WITH CHECK (id = current_workspace());
GRANT SELECT, INSERT, UPDATE ON workspaces TO toolcrib_app;
GRANT SELECT ON workspaces TO toolcrib_worker, toolcrib_lookup;
CREATE POLICY workers ON workspaces FOR SELECT TO toolcrib_worker USING (true);
CREATE POLICY lookup ON workspaces FOR SELECT TO toolcrib_lookup USING (true);

-- A person, as an issuer of tokens names them. Users belong to no workspace.
CREATE TABLE users (
  id UUID NOT NULL PRIMARY KEY,
  issuer TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  display_name TEXT,
  created_at BIGINT NOT NULL,
  UNIQUE (issuer, subject)
);
GRANT SELECT, INSERT ON users TO toolcrib_app;
-- A user without a display name gets the one in their token. Nothing else of a user changes.
GRANT UPDATE (display_name) ON users TO toolcrib_app;

-- A user's membership of a workspace.
CREATE TABLE members (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  user_id UUID NOT NULL REFERENCES users (id),
  role TEXT NOT NULL,
  active BOOLEAN NOT NULL DEFAULT TRUE,
  display_name TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
);
-- The workspaces of a user.
CREATE INDEX members_by_user ON members (user_id);
SELECT guard_tenant('members', 'SELECT, INSERT, UPDATE, DELETE');
GRANT SELECT ON members TO toolcrib_lookup;
CREATE POLICY lookup ON members FOR SELECT TO toolcrib_lookup USING (true);

-- What is looked up before the workspace of a request is known: the workspace that a token names, and the workspaces of a user.
CREATE FUNCTION workspace_by_external(wanted TEXT) RETURNS UUID
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT id FROM workspaces WHERE external_id = wanted AND deleted_at IS NULL $$;
ALTER FUNCTION workspace_by_external(TEXT) OWNER TO toolcrib_lookup;
REVOKE ALL ON FUNCTION workspace_by_external(TEXT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace_by_external(TEXT) TO toolcrib_app, toolcrib_worker;
CREATE FUNCTION memberships_of(wanted UUID)
  RETURNS TABLE (id UUID, name TEXT, external_id TEXT, plan TEXT, role TEXT, created_at BIGINT)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT w.id, w.name, w.external_id, w.plan, m.role, w.created_at
        FROM members m JOIN workspaces w ON w.id = m.workspace_id
        WHERE m.user_id = wanted AND m.active AND w.deleted_at IS NULL $$;
ALTER FUNCTION memberships_of(UUID) OWNER TO toolcrib_lookup;
REVOKE ALL ON FUNCTION memberships_of(UUID) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memberships_of(UUID) TO toolcrib_app, toolcrib_worker;
CREATE FUNCTION all_workspaces()
  RETURNS TABLE (id UUID, name TEXT, external_id TEXT, plan TEXT, created_at BIGINT)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT w.id, w.name, w.external_id, w.plan, w.created_at FROM workspaces w WHERE w.deleted_at IS NULL $$;
ALTER FUNCTION all_workspaces() OWNER TO toolcrib_lookup;
REVOKE ALL ON FUNCTION all_workspaces() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION all_workspaces() TO toolcrib_app;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Access
-- ---------------------------------------------------------------------------------------------------------------------------

-- A key of an agent or a service, with the hash of its secret. `runs_as` is the user on whose behalf an agent's key acts.
-- `parent_id` is the key that made this one. `old_secret_hash` is the secret before the key was adopted, which is accepted until
-- `old_secret_until`.
CREATE TABLE keys (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  id UUID NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'service')),
  name TEXT NOT NULL,
  secret_hash BYTEA NOT NULL,
  agent_id UUID,
  runs_as UUID,
  mission_id UUID,
  role TEXT,
  scopes TEXT NOT NULL,
  caller_types TEXT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  last_used_at BIGINT,
  parent_id UUID,
  old_secret_hash BYTEA,
  old_secret_until BIGINT,
  PRIMARY KEY (workspace_id, id)
);
-- The keys that a key made: they are revoked with it, and expire no later.
CREATE INDEX keys_by_parent ON keys (workspace_id, parent_id);
-- The keys that are revoked with their agent.
CREATE INDEX keys_by_agent ON keys (workspace_id, agent_id) WHERE revoked_at IS NULL;
SELECT guard_tenant('keys', 'SELECT, INSERT, UPDATE');
GRANT SELECT ON keys TO toolcrib_lookup;
CREATE POLICY lookup ON keys FOR SELECT TO toolcrib_lookup USING (true);

-- A key says which workspace it belongs to, so it is looked up before the workspace is known.
CREATE FUNCTION key_by_id(wanted UUID) RETURNS SETOF keys
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT * FROM keys WHERE id = wanted $$;
ALTER FUNCTION key_by_id(UUID) OWNER TO toolcrib_lookup;
REVOKE ALL ON FUNCTION key_by_id(UUID) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION key_by_id(UUID) TO toolcrib_app, toolcrib_worker;

-- A user to whom a secret of a key was shown. `is_current`: the key may do what this user may do. The others only know a secret of
-- the key: always, or until `known_until`.
CREATE TABLE key_minters (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  key_id UUID NOT NULL,
  user_id UUID NOT NULL,
  is_current BOOLEAN NOT NULL,
  known_until BIGINT,
  PRIMARY KEY (workspace_id, key_id, user_id)
);
-- The keys of a user: when a member leaves, and in the audit log of a user.
CREATE INDEX key_minters_by_user ON key_minters (workspace_id, user_id);
SELECT guard_tenant('key_minters', 'SELECT, INSERT, UPDATE');

-- A key of the operator, which belongs to no workspace. Only the command line creates one.
CREATE TABLE operator_keys (
  id UUID NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  secret_hash BYTEA NOT NULL,
  scopes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
);
GRANT SELECT ON operator_keys TO toolcrib_app;

-- An invitation to become a member: whoever signs in with its code uses it up. `code_hash` is the SHA-256 of the secret in the code.
-- `inviter` is the caller who made it, as a stored caller, and `invited_by` their user. An invitation of the operator has no inviter:
-- it counts for people of `issuer` alone, and only until the workspace has an owner.
CREATE TABLE invitations (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  id UUID NOT NULL,
  code_hash BYTEA NOT NULL,
  role TEXT NOT NULL,
  email TEXT,
  inviter TEXT,
  invited_by UUID,
  issuer TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  used_by UUID,
  used_at BIGINT,
  revoked_at BIGINT,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, code_hash)
);
-- The invitations that ended long ago, which a worker deletes.
CREATE INDEX invitations_by_end ON invitations (expires_at);
SELECT guard_tenant('invitations', 'SELECT, INSERT, UPDATE');
GRANT SELECT, DELETE ON invitations TO toolcrib_worker;
CREATE POLICY workers ON invitations TO toolcrib_worker USING (true) WITH CHECK (true);

-- A session of the console. `id_hash` is the SHA-256 of the secret in the cookie. A session is a user's credential and belongs to
-- no workspace; `workspace` is the workspace claim of the token that signed in, if it had one.
CREATE TABLE sessions (
  id_hash BYTEA NOT NULL PRIMARY KEY,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  workspace TEXT,
  name TEXT,
  system_admin BOOLEAN NOT NULL,
  way TEXT NOT NULL CHECK (way IN ('token', 'link', 'oidc')),
  created_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL,
  ends_at BIGINT NOT NULL
);
-- The sessions of a user, which end together.
CREATE INDEX sessions_of_user ON sessions (issuer, subject);
-- The sessions that ended, which a worker deletes.
CREATE INDEX sessions_by_end ON sessions (ends_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions TO toolcrib_app;
GRANT SELECT, DELETE ON sessions TO toolcrib_worker;

-- A one-time code that was used to sign in, until it expires.
CREATE TABLE used_login_codes (
  jti TEXT NOT NULL PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
GRANT SELECT, INSERT ON used_login_codes TO toolcrib_app;
GRANT SELECT, DELETE ON used_login_codes TO toolcrib_worker;

-- Whether the database may be served: one row. A backup is made without it, so that a database which was put back from one is held,
-- whoever started `serve` on it. `toolcrib restore` inserts it as `restored`: nobody may sign in or call. `accepted`: webhooks and due
-- work are held. `heads` is a JSON object with the heads that the audit logs had in the backup, by workspace.
CREATE TABLE serving (
  id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
  state TEXT NOT NULL CHECK (state IN ('restored', 'accepted', 'open')),
  changed_at BIGINT NOT NULL,
  heads TEXT
);
INSERT INTO serving (id, state, changed_at) VALUES (1, 'open', 0);
-- Only the schema's owner changes the row: `toolcrib restore`.
GRANT SELECT ON serving TO toolcrib_app, toolcrib_worker;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Calls
-- ---------------------------------------------------------------------------------------------------------------------------

-- An idempotency key of a principal and an action, with the response that is repeated. Without a status and a confirmation the
-- call still runs.
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
-- The expired keys, which a worker deletes.
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);
SELECT guard_tenant('idempotency', 'SELECT, INSERT, UPDATE, DELETE');
GRANT SELECT, DELETE ON idempotency TO toolcrib_worker;
CREATE POLICY workers ON idempotency TO toolcrib_worker USING (true) WITH CHECK (true);

-- A call that runs outside this service: one that its caller runs, or one that waits for an upstream's response. `arguments` are
-- the raw ones and are kept while the call is open: `ready` until it is claimed (at the latest at `claim_by`), then `running` (at
-- the latest until `end_by`). `result` and `report_digest` are of the report that ended the call.
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
-- The list of all calls.
CREATE INDEX open_calls_by_time ON open_calls (workspace_id, created_at, call_id);
-- The list of the calls that were made by or on behalf of a user.
CREATE INDEX open_calls_by_user ON open_calls (workspace_id, user_id, created_at, call_id);
-- The list of the calls of a principal.
CREATE INDEX open_calls_by_principal ON open_calls (workspace_id, principal_id, created_at, call_id);
-- The list of the calls that did not end.
CREATE INDEX open_calls_open ON open_calls (workspace_id, created_at, call_id) WHERE state IN ('ready', 'running');
-- The calls that nobody claimed in time, and those that nobody reported in time, which a worker ends.
CREATE INDEX open_calls_to_claim ON open_calls (claim_by) WHERE state = 'ready';
CREATE INDEX open_calls_to_end ON open_calls (end_by) WHERE state = 'running';
-- The calls that ended long ago, which a worker deletes.
CREATE INDEX open_calls_ended ON open_calls (ended_at) WHERE ended_at IS NOT NULL;
-- The number of open calls, of all and of one caller, which each new call is checked against. The index has no call that ended, of
-- which a caller may have many, and it has the columns of its condition, so that no row is read.
CREATE INDEX open_calls_of_callers ON open_calls (workspace_id, principal_id, user_id, executor, state)
  WHERE executor = 'client' AND state IN ('ready', 'running');
SELECT guard_tenant('open_calls', 'SELECT, INSERT, UPDATE');
-- A worker finds overdue calls across workspaces and ends each inside its workspace. It deletes old calls.
GRANT SELECT, DELETE ON open_calls TO toolcrib_worker;
CREATE POLICY workers ON open_calls TO toolcrib_worker USING (true) WITH CHECK (true);

-- An effect of a pack's action whose outcome and record are not both committed. `target_key` is the thing that it changes: one
-- effect of a thing is open at a time. `plan` is what the action resolved the call to, `output` that of a success whose record
-- failed. A worker looks at it at `next_look`.
CREATE TABLE open_effects (
  workspace_id UUID NOT NULL,
  call_id UUID NOT NULL,
  action TEXT NOT NULL,
  target_key TEXT NOT NULL,
  arguments TEXT NOT NULL,
  plan TEXT NOT NULL,
  requester TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  next_look BIGINT,
  looks BIGINT NOT NULL,
  output TEXT,
  PRIMARY KEY (workspace_id, call_id),
  UNIQUE (workspace_id, target_key)
);
-- The effects that a worker looks at.
CREATE INDEX open_effects_to_look ON open_effects (next_look) WHERE next_look IS NOT NULL;
SELECT guard_tenant('open_effects', 'SELECT, INSERT, UPDATE, DELETE');
-- A worker finds across workspaces the effects to look at.
GRANT SELECT ON open_effects TO toolcrib_worker;
CREATE POLICY workers ON open_effects FOR SELECT TO toolcrib_worker USING (true);

-- ---------------------------------------------------------------------------------------------------------------------------
-- Audit
-- ---------------------------------------------------------------------------------------------------------------------------

-- A call or a decision: who, on whose behalf, what, with which outcome. `minters`, `edited_by`, `issuer` and `subject` say whom a
-- row is attributed to beside its principal. `repaired` is a JSON list of pointers to the arguments that were read differently from
-- how a model wrote them. `executor` is what ran the tool, `definition` the digest of its definition, `call_ref` the row of the
-- call that an outcome belongs to, and `reported_by` the principal that reported it. The columns from `minters` on are part of the
-- hash of a row only if they have a value.
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
  minters TEXT,
  edited_by UUID,
  issuer TEXT,
  subject TEXT,
  repaired TEXT,
  executor TEXT,
  definition TEXT,
  call_ref UUID,
  reported_by UUID,
  PRIMARY KEY (workspace_id, id)
);
-- The log, newest first, and the rows that are not sealed, oldest first.
CREATE INDEX action_log_by_time ON action_log (workspace_id, occurred_at, id);
-- The outcomes of a call.
CREATE INDEX action_log_by_call_ref ON action_log (workspace_id, call_ref) WHERE call_ref IS NOT NULL;
-- What became of a call that waited: decisions, its run and its outcome. A call that is repeated meanwhile is not in it.
CREATE INDEX action_log_by_confirmation ON action_log (workspace_id, confirmation_id, occurred_at, id)
  WHERE confirmation_id IS NOT NULL AND (kind <> 'call' OR via = 'confirmation');
-- The activity feed: writes that succeeded, and refusals. Reads, which are most of the log, are not in it. SQLite compares the
-- condition with that of the statement as text.
CREATE INDEX action_log_activity ON action_log (workspace_id, occurred_at, id, action, decision, user_id, kind, outcome, permission_level)
  WHERE kind = 'call' AND ((outcome = 'succeeded' AND permission_level <> 'read') OR decision = 'denied');
SELECT guard_tenant('action_log', 'SELECT, INSERT');
-- Audit batches of reads contain rows of several workspaces. Their role may only insert. Workers read across workspaces.
GRANT INSERT ON action_log TO toolcrib_audit;
CREATE POLICY batches ON action_log FOR INSERT TO toolcrib_audit WITH CHECK (true);
GRANT SELECT ON action_log TO toolcrib_worker;
CREATE POLICY workers ON action_log FOR SELECT TO toolcrib_worker USING (true);

-- A row of the log that is sealed: its position in the chain of its workspace, and the hashes of the row and of the chain up to
-- it. `newest` is the latest time in the chain up to here.
CREATE TABLE audit_chain (
  workspace_id UUID NOT NULL,
  seq BIGINT NOT NULL,
  row_id UUID NOT NULL,
  row_hash TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  sealed_at BIGINT NOT NULL,
  newest BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, seq),
  UNIQUE (workspace_id, row_id)
);
SELECT guard_tenant('audit_chain', 'SELECT');
GRANT SELECT, INSERT ON audit_chain TO toolcrib_worker;
CREATE POLICY workers ON audit_chain TO toolcrib_worker USING (true) WITH CHECK (true);

-- A signature of the chain of a workspace up to a position. `public_key` names the key that signed.
CREATE TABLE audit_checkpoints (
  workspace_id UUID NOT NULL,
  seq BIGINT NOT NULL,
  hash TEXT NOT NULL,
  signature TEXT NOT NULL,
  made_at BIGINT NOT NULL,
  public_key TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (workspace_id, seq)
);
SELECT guard_tenant('audit_checkpoints', 'SELECT');
GRANT SELECT, INSERT ON audit_checkpoints TO toolcrib_worker;
CREATE POLICY workers ON audit_checkpoints TO toolcrib_worker USING (true) WITH CHECK (true);

-- No role of the service may change or delete these rows. The triggers stop the tables' owner too, at no cost to an INSERT.
CREATE FUNCTION refuse_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
REVOKE ALL ON FUNCTION refuse_change() FROM PUBLIC;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON action_log EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_chain EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_checkpoints EXECUTE FUNCTION refuse_change();

-- The types of rows that are inserted in bulk, as arrays: reading them costs half of what reading JSON costs. A type has the
-- columns of its table that the service writes, in the order of the program. From the first release on a type never changes,
-- because a process of the version before may still use it: a table with a new column gets a new type.
CREATE TYPE action_log_row AS (
  workspace_id UUID, id UUID, occurred_at BIGINT, kind TEXT, action TEXT, permission_level TEXT, via TEXT,
  surface TEXT, principal_kind TEXT, principal_id UUID, user_id UUID, credential_id UUID, role TEXT,
  system_admin BOOLEAN, caller_type TEXT, caller_name TEXT, session TEXT, mission_id UUID, decision TEXT,
  granted_by TEXT, always_allow BOOLEAN, relayed_by UUID, reason TEXT, arguments TEXT, target TEXT,
  error_code TEXT, outcome TEXT, duration_ms BIGINT, request_id TEXT, trace_id TEXT, confirmation_id UUID,
  minters TEXT, edited_by UUID, issuer TEXT, subject TEXT, repaired TEXT, executor TEXT, definition TEXT,
  call_ref UUID, reported_by UUID
);
CREATE TYPE audit_chain_row AS (
  workspace_id UUID, seq BIGINT, row_id UUID, row_hash TEXT, prev_hash TEXT, hash TEXT, newest BIGINT,
  sealed_at BIGINT
);

-- ---------------------------------------------------------------------------------------------------------------------------
-- Confirmations
-- ---------------------------------------------------------------------------------------------------------------------------

-- A call that a person has to approve, with what they are shown and what became of it. `upstream_target` is what an approval of a
-- call to an upstream is bound to: the path of its target and the version that the upstream gave. `repaired` is a JSON list of
-- pointers to what was repaired in the model's call. `history` is a JSON list of what happened to the confirmation.
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
  upstream_target TEXT,
  repaired TEXT,
  superseded_by UUID,
  PRIMARY KEY (workspace_id, id)
);
-- The list of confirmations with a status, and the number of open ones, which each new one is checked against.
CREATE INDEX confirmations_by_status ON confirmations (workspace_id, status, created_at);
-- The confirmations that nobody decided in time, which a worker ends.
CREATE INDEX confirmations_open ON confirmations (expires_at) WHERE status IN ('pending', 'awaiting_phrase');
SELECT guard_tenant('confirmations', 'SELECT, INSERT, UPDATE');
-- A worker finds overdue confirmations across workspaces and ends each inside its workspace.
GRANT SELECT, UPDATE ON confirmations TO toolcrib_worker;
CREATE POLICY workers ON confirmations TO toolcrib_worker USING (true) WITH CHECK (true);

-- ---------------------------------------------------------------------------------------------------------------------------
-- Events
-- ---------------------------------------------------------------------------------------------------------------------------

-- An event of the outbox, inserted in the transaction that it tells about. `place` is its position among the committed events.
-- `seq` is taken before the commit, so that a lower one may become visible later. One process at a time gives places to committed
-- rows, in growing order. A row without a place is in no index by place, so that each of these is written once.
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
  place BIGINT,
  UNIQUE (workspace_id, id)
);
-- The events that have no place yet.
CREATE INDEX events_without_place ON events (seq) WHERE place IS NULL;
-- The events of a workspace after a position, and its last position.
CREATE UNIQUE INDEX events_by_place ON events (workspace_id, place) WHERE place IS NOT NULL;
-- The events of all workspaces after a position, and the last position.
CREATE INDEX events_everywhere ON events (place) WHERE place IS NOT NULL;
-- The activity feed, which reads only this index of the events that it does not show.
CREATE INDEX events_by_time ON events (workspace_id, occurred_at, id, kind, name, permission);
SELECT guard_tenant('events', 'SELECT, INSERT');
-- A read of a conversation inserts an event together with its audit row, as a role that can read none.
GRANT INSERT ON events TO toolcrib_audit;
CREATE POLICY batches ON events FOR INSERT TO toolcrib_audit WITH CHECK (true);
-- Workers insert events, give them places and delete old ones. Nothing else of an event changes.
GRANT SELECT, INSERT, DELETE ON events TO toolcrib_worker;
GRANT UPDATE (place) ON events TO toolcrib_worker;
CREATE POLICY workers ON events TO toolcrib_worker USING (true) WITH CHECK (true);

-- The type of rows that are inserted in bulk, as for the audit log.
CREATE TYPE events_row AS (
  workspace_id UUID, id UUID, name TEXT, kind TEXT, session TEXT, user_id UUID, permission TEXT, data TEXT,
  occurred_at BIGINT
);

-- A notification in the console. `audience` is `admins`, or `user` for the user, agent or key of `user_id`. `except_user_id` is
-- the one admin who does not get it.
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
  except_user_id UUID,
  confirmation_id UUID,
  PRIMARY KEY (workspace_id, id)
);
-- The list of notifications.
CREATE INDEX notifications_by_time ON notifications (workspace_id, created_at, id);
SELECT guard_tenant('notifications', 'SELECT, INSERT');
GRANT SELECT, INSERT, DELETE ON notifications TO toolcrib_worker;
CREATE POLICY workers ON notifications TO toolcrib_worker USING (true) WITH CHECK (true);

-- That a user has read a notification.
CREATE TABLE notification_reads (
  workspace_id UUID NOT NULL,
  notification_id UUID NOT NULL,
  user_id UUID NOT NULL,
  read_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, notification_id, user_id)
);
SELECT guard_tenant('notification_reads', 'SELECT, INSERT');
GRANT SELECT, DELETE ON notification_reads TO toolcrib_worker;
CREATE POLICY workers ON notification_reads TO toolcrib_worker USING (true) WITH CHECK (true);

-- A URL to which a workspace's events are sent. `place` is the position up to which the events were read for it; events before
-- `since` are not sent. The secrets that sign are encrypted, and the previous one is valid until `previous_until`. For messages to
-- people the secret is that of the service, `receiver` is JSON, and nothing is sent before `free_at`.
CREATE TABLE webhooks (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  format TEXT NOT NULL CHECK (format IN ('standard', 'slack', 'telegram', 'twilio')),
  url TEXT NOT NULL,
  receiver TEXT,
  types TEXT NOT NULL,
  enabled BOOLEAN NOT NULL,
  place BIGINT NOT NULL,
  since BIGINT NOT NULL,
  free_at BIGINT NOT NULL,
  secret_encrypted TEXT NOT NULL,
  previous_encrypted TEXT,
  previous_until BIGINT,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
SELECT guard_tenant('webhooks', 'SELECT, INSERT, UPDATE, DELETE');
-- A worker finds webhooks and deliveries across workspaces, and writes inside one workspace at a time.
GRANT SELECT ON webhooks TO toolcrib_worker;
GRANT UPDATE (place, free_at) ON webhooks TO toolcrib_worker;
CREATE POLICY workers ON webhooks TO toolcrib_worker USING (true) WITH CHECK (true);

-- An event for a webhook, with the body that is sent each time. `next_at` is when a pending delivery is tried, or when a try that
-- runs counts as failed; it runs while `in_flight` and until then. A dead delivery has none.
CREATE TABLE webhook_deliveries (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  webhook_id UUID NOT NULL,
  event_id UUID NOT NULL,
  event_name TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'dead')),
  attempts BIGINT NOT NULL,
  next_at BIGINT,
  in_flight BOOLEAN NOT NULL,
  answered BIGINT,
  problem TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, webhook_id, event_id)
);
-- The deliveries that are due.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at) WHERE status = 'pending';
-- The list of the deliveries of a webhook.
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (workspace_id, webhook_id, created_at, id);
-- Requests read deliveries, have them tried again and delete them with their webhook. Only a worker inserts them.
SELECT guard_tenant('webhook_deliveries', 'SELECT, UPDATE, DELETE');
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_deliveries TO toolcrib_worker;
CREATE POLICY workers ON webhook_deliveries TO toolcrib_worker USING (true) WITH CHECK (true);

-- ---------------------------------------------------------------------------------------------------------------------------
-- Agents
-- ---------------------------------------------------------------------------------------------------------------------------

-- An agent. Names are unique regardless of case. `tool_count`, `skill_count`, `plugin_count` and `heartbeat` are what the agent was
-- given, kept by triggers of those tables. `prompted`: the system prompt has a character that is not white space. It is a column
-- and no expression of an index, because PostgreSQL reads the table for those.
CREATE TABLE agents (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  slug TEXT COLLATE "C" NOT NULL,
  role TEXT NOT NULL,
  model TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
  description TEXT,
  system_prompt TEXT,
  temperature DOUBLE PRECISION,
  tags TEXT NOT NULL,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  last_active_at BIGINT,
  tool_count BIGINT NOT NULL DEFAULT 0,
  skill_count BIGINT NOT NULL DEFAULT 0,
  plugin_count BIGINT NOT NULL DEFAULT 0,
  heartbeat BOOLEAN NOT NULL DEFAULT FALSE,
  prompted BOOLEAN GENERATED ALWAYS AS (coalesce(btrim(system_prompt, E'\t\n\u000B\f\r \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000'), '') <> '') STORED,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key),
  UNIQUE (workspace_id, slug)
);
-- The list of agents.
CREATE INDEX agents_by_time ON agents (workspace_id, created_at, id);
-- The number of agents that use a model.
CREATE INDEX agents_by_model ON agents (workspace_id, model, status);
-- The audit of all agents by a blueprint: agents grouped by what its rules ask.
CREATE INDEX agents_by_facts ON agents (workspace_id, model, tags, tool_count, prompted);
-- The list of the agents with a status, and the number of active ones.
CREATE INDEX agents_by_status ON agents (workspace_id, status, created_at, id);
SELECT guard_tenant('agents', 'SELECT, INSERT, UPDATE, DELETE');
-- Workers read the agents of due heartbeats, schedules and playbooks.
GRANT SELECT (workspace_id, id, name, slug, status) ON agents TO toolcrib_worker;
CREATE POLICY workers ON agents FOR SELECT TO toolcrib_worker USING (true);

-- Counts what the agent of a changed row was given.
CREATE FUNCTION recount_agent() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE changed RECORD;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  -- Locked first, so that the counts below see what whoever held it before has committed.
  PERFORM 1 FROM agents WHERE workspace_id = changed.workspace_id AND id = changed.agent_id FOR NO KEY UPDATE;
  UPDATE agents a SET
    tool_count = (SELECT COUNT(*) FROM agent_tools t WHERE t.workspace_id = a.workspace_id AND t.agent_id = a.id),
    skill_count = (SELECT COUNT(*) FROM agent_skills s WHERE s.workspace_id = a.workspace_id AND s.agent_id = a.id),
    plugin_count = (SELECT COUNT(*) FROM agent_plugins p WHERE p.workspace_id = a.workspace_id AND p.agent_id = a.id),
    heartbeat = EXISTS (SELECT 1 FROM heartbeats h
      WHERE h.workspace_id = a.workspace_id AND h.agent_id = a.id AND h.enabled)
    WHERE a.workspace_id = changed.workspace_id AND a.id = changed.agent_id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION recount_agent() FROM PUBLIC;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Marketplace
-- ---------------------------------------------------------------------------------------------------------------------------

-- The version of a file of built-in data that was loaded last: marketplace items or models. The files are in `crates/store/data`.
CREATE TABLE catalogue_versions (
  catalogue TEXT NOT NULL PRIMARY KEY,
  version TEXT NOT NULL,
  digest TEXT NOT NULL
);
GRANT SELECT ON catalogue_versions TO toolcrib_app;

-- A template of an agent, a skill or a plugin that any workspace can install. System admins add to the built-in ones. `search_key`
-- is the text that a search compares.
CREATE TABLE marketplace_items (
  id UUID NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'skill', 'plugin')),
  slug TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  category TEXT COLLATE "C" NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  search_key TEXT COLLATE "C" NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'withdrawn')),
  version TEXT NOT NULL,
  author TEXT NOT NULL,
  content TEXT NOT NULL,
  built_in BOOLEAN NOT NULL,
  install_count BIGINT NOT NULL,
  published_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (kind, slug)
);
-- The list of the approved items of a kind.
CREATE INDEX marketplace_items_by_time ON marketplace_items (kind, status, published_at, id);
-- The template with the name of a new agent.
CREATE INDEX marketplace_items_by_name ON marketplace_items (kind, name_key);
GRANT SELECT, INSERT, UPDATE ON marketplace_items TO toolcrib_app;

-- A model that any workspace can install, with its prices.
CREATE TABLE models (
  model TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  provider TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  context_tokens BIGINT NOT NULL,
  max_output_tokens BIGINT NOT NULL,
  input_microusd_per_mtok BIGINT NOT NULL,
  output_microusd_per_mtok BIGINT NOT NULL,
  capabilities TEXT NOT NULL,
  tier TEXT NOT NULL CHECK (tier IN ('free', 'budget', 'mid', 'premium')),
  built_in BOOLEAN NOT NULL,
  updated_at BIGINT NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON models TO toolcrib_app;

-- A marketplace item that a workspace installed.
CREATE TABLE installs (
  workspace_id UUID NOT NULL,
  item_id UUID NOT NULL,
  kind TEXT NOT NULL,
  installed_by UUID,
  installed_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, item_id)
);
SELECT guard_tenant('installs', 'SELECT, INSERT, UPDATE, DELETE');

-- A model that a workspace installed.
CREATE TABLE workspace_models (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  installed_by UUID,
  installed_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, model)
);
SELECT guard_tenant('workspace_models', 'SELECT, INSERT, UPDATE, DELETE');

-- An app that is connected in a workspace. Apps and names are unique.
CREATE TABLE connections (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  app TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, app),
  UNIQUE (workspace_id, name_key)
);
SELECT guard_tenant('connections', 'SELECT, INSERT, UPDATE, DELETE');

-- ---------------------------------------------------------------------------------------------------------------------------
-- Assignments
-- ---------------------------------------------------------------------------------------------------------------------------

-- A connection that an agent may use.
CREATE TABLE agent_tools (
  workspace_id UUID NOT NULL,
  agent_id UUID NOT NULL,
  connection_id UUID NOT NULL,
  assigned_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, connection_id)
);
SELECT guard_tenant('agent_tools', 'SELECT, INSERT, UPDATE, DELETE');
CREATE TRIGGER recount AFTER INSERT OR DELETE ON agent_tools FOR EACH ROW EXECUTE FUNCTION recount_agent();

-- A skill that an agent has.
CREATE TABLE agent_skills (
  workspace_id UUID NOT NULL,
  agent_id UUID NOT NULL,
  item_id UUID NOT NULL,
  assigned_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, item_id)
);
SELECT guard_tenant('agent_skills', 'SELECT, INSERT, UPDATE, DELETE');
CREATE TRIGGER recount AFTER INSERT OR DELETE ON agent_skills FOR EACH ROW EXECUTE FUNCTION recount_agent();

-- A plugin that an agent has.
CREATE TABLE agent_plugins (
  workspace_id UUID NOT NULL,
  agent_id UUID NOT NULL,
  item_id UUID NOT NULL,
  assigned_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, item_id)
);
SELECT guard_tenant('agent_plugins', 'SELECT, INSERT, UPDATE, DELETE');
CREATE TRIGGER recount AFTER INSERT OR DELETE ON agent_plugins FOR EACH ROW EXECUTE FUNCTION recount_agent();

-- The heartbeat of an agent: how often, and within which hours, it looks for work by itself. `active_hours` is a JSON object
-- (start, end, timezone). `next_due_at` is NULL while the heartbeat is off.
CREATE TABLE heartbeats (
  workspace_id UUID NOT NULL,
  agent_id UUID NOT NULL,
  enabled BOOLEAN NOT NULL,
  interval_minutes BIGINT NOT NULL,
  prompt TEXT,
  active_hours TEXT,
  mode TEXT NOT NULL CHECK (mode IN ('silent', 'notify', 'act')),
  next_due_at BIGINT,
  updated_at BIGINT NOT NULL,
  caller TEXT,
  set_by UUID,
  PRIMARY KEY (workspace_id, agent_id)
);
-- The heartbeats that are due.
CREATE INDEX heartbeats_by_due ON heartbeats (next_due_at);
SELECT guard_tenant('heartbeats', 'SELECT, INSERT, UPDATE, DELETE');
-- A worker emits events for due heartbeats, across workspaces.
GRANT SELECT, UPDATE ON heartbeats TO toolcrib_worker;
CREATE POLICY workers ON heartbeats TO toolcrib_worker USING (true) WITH CHECK (true);
CREATE TRIGGER recount AFTER INSERT OR DELETE OR UPDATE OF enabled ON heartbeats
  FOR EACH ROW EXECUTE FUNCTION recount_agent();

-- ---------------------------------------------------------------------------------------------------------------------------
-- Governance
-- ---------------------------------------------------------------------------------------------------------------------------

-- A blueprint: rules for agents. The default blueprint of a workspace has `default_slot` 1 and the others NULL, so that there is at
-- most one.
CREATE TABLE blueprints (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  description TEXT,
  rules TEXT NOT NULL,
  default_slot BIGINT CHECK (default_slot = 1),
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key),
  UNIQUE (workspace_id, default_slot)
);
-- The list of blueprints.
CREATE INDEX blueprints_by_time ON blueprints (workspace_id, created_at, id);
-- The default blueprint. The planner avoids the index of the unique key, because its column is NULL in all rows but one.
CREATE INDEX blueprints_default ON blueprints (workspace_id) WHERE default_slot = 1;
SELECT guard_tenant('blueprints', 'SELECT, INSERT, UPDATE, DELETE');

-- ---------------------------------------------------------------------------------------------------------------------------
-- Tasks
-- ---------------------------------------------------------------------------------------------------------------------------

-- A task on the board. The id of an agent or parent stays when the agent or parent is deleted.
CREATE TABLE tasks (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  priority TEXT NOT NULL CHECK (priority IN ('urgent', 'high', 'medium', 'low')),
  status TEXT NOT NULL CHECK (status IN ('inbox', 'assigned', 'in_progress', 'review', 'blocked', 'done')),
  agent_id UUID,
  parent_id UUID,
  tags TEXT NOT NULL,
  due_at BIGINT,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  done_at BIGINT,
  PRIMARY KEY (workspace_id, id)
);
-- The list of tasks.
CREATE INDEX tasks_by_time ON tasks (workspace_id, created_at, id);
-- The board: the number of tasks by status and priority.
CREATE INDEX tasks_by_status ON tasks (workspace_id, status, priority);
-- The board: the number of overdue tasks.
CREATE INDEX tasks_overdue ON tasks (workspace_id, due_at, status) WHERE status <> 'done' AND due_at IS NOT NULL;
-- The board: the number of open tasks by agent.
CREATE INDEX tasks_open ON tasks (workspace_id, agent_id, status) WHERE status <> 'done' AND agent_id IS NOT NULL;
-- The board: the tasks that have been blocked for the longest time.
CREATE INDEX tasks_blocked ON tasks (workspace_id, updated_at, id) WHERE status = 'blocked';
-- The list of the tasks with a status.
CREATE INDEX tasks_by_status_and_time ON tasks (workspace_id, status, created_at, id);
-- The subtasks of a task, oldest first. Most tasks have no parent and are not in the index.
CREATE INDEX tasks_by_parent ON tasks (workspace_id, parent_id, created_at, id) WHERE parent_id IS NOT NULL;
-- The list of the tasks of an agent. Many tasks have no agent and are not in the index.
CREATE INDEX tasks_by_agent ON tasks (workspace_id, agent_id, created_at, id) WHERE agent_id IS NOT NULL;
-- The list of the tasks with a priority.
CREATE INDEX tasks_by_priority ON tasks (workspace_id, priority, created_at, id);
SELECT guard_tenant('tasks', 'SELECT, INSERT, UPDATE, DELETE');

-- A change of a task: who created, assigned or moved it.
CREATE TABLE task_history (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  task_id UUID NOT NULL,
  event TEXT NOT NULL CHECK (event IN ('created', 'assigned', 'moved')),
  from_status TEXT,
  to_status TEXT NOT NULL,
  agent_id UUID,
  note TEXT,
  actor_kind TEXT NOT NULL,
  actor_id UUID NOT NULL,
  occurred_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
-- The history of a task, newest first.
CREATE INDEX task_history_by_task ON task_history (workspace_id, task_id, occurred_at, id);
SELECT guard_tenant('task_history', 'SELECT, INSERT');

-- ---------------------------------------------------------------------------------------------------------------------------
-- Missions
-- ---------------------------------------------------------------------------------------------------------------------------

-- A mission: a goal with a budget.
CREATE TABLE missions (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  goal TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('awaiting_approval', 'running', 'completed', 'failed', 'cancelled')),
  max_cost_microusd BIGINT,
  max_tokens BIGINT,
  alert_at_percent BIGINT NOT NULL,
  reason TEXT,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  started_at BIGINT,
  finished_at BIGINT,
  caller TEXT,
  PRIMARY KEY (workspace_id, id)
);
-- The list of missions.
CREATE INDEX missions_by_time ON missions (workspace_id, created_at, id);
-- The list of the missions in a state.
CREATE INDEX missions_by_state ON missions (workspace_id, state, created_at, id);
SELECT guard_tenant('missions', 'SELECT, INSERT, UPDATE, DELETE');

-- A task of a mission. `depends_on` is a JSON list of positions in the same mission.
CREATE TABLE mission_tasks (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  mission_id UUID NOT NULL,
  position BIGINT NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  agent_id UUID,
  status TEXT NOT NULL CHECK (status IN ('open', 'in_progress', 'done', 'failed', 'cancelled')),
  depends_on TEXT NOT NULL,
  output TEXT,
  error TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, mission_id, position)
);
-- The missions whose tasks an agent does.
CREATE INDEX mission_tasks_by_agent ON mission_tasks (workspace_id, agent_id);
SELECT guard_tenant('mission_tasks', 'SELECT, INSERT, UPDATE, DELETE');

-- The words of a text as they are: `tokens` are the words as the program normalised them, with spaces between them. Neither a
-- parser nor a dictionary changes them, and a query has no operators.
CREATE FUNCTION word_vector(tokens TEXT) RETURNS TSVECTOR LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT array_to_tsvector(string_to_array(tokens, ' ')) $$;
CREATE FUNCTION any_word(tokens TEXT) RETURNS TSQUERY LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CAST(string_agg(quote_literal(word), ' | ') AS TSQUERY) FROM unnest(string_to_array(tokens, ' ')) AS word $$;

-- A value of the field, which the agents of a mission share. `strength` is the strength at `reinforced_at`; it halves every 24
-- hours from then on. `tokens` are the words of key and value as the program normalised them.
CREATE TABLE field_entries (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  mission_id UUID NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  value TEXT NOT NULL,
  tokens TEXT NOT NULL,
  strength DOUBLE PRECISION NOT NULL,
  reinforced_at BIGINT NOT NULL,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, mission_id, key)
);
-- The entries that have any word of a search.
CREATE INDEX field_entries_by_word ON field_entries USING gin (word_vector(tokens));
-- The strengths of all entries of a mission.
CREATE INDEX field_strengths ON field_entries (workspace_id, mission_id, id, strength, reinforced_at);
SELECT guard_tenant('field_entries', 'SELECT, INSERT, UPDATE, DELETE');
GRANT SELECT ON field_entries TO toolcrib_lookup;
CREATE POLICY lookup ON field_entries FOR SELECT TO toolcrib_lookup USING (true);

-- The candidates of a search. Under row level security the planner may not use an index by word before the policy has passed each
-- row. So this function runs as a role that no policy restricts, and compares the workspace of the transaction itself.
CREATE FUNCTION field_candidates(words TEXT, of_mission UUID, most BIGINT) RETURNS SETOF field_entries
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT * FROM field_entries
        WHERE workspace_id = current_workspace() AND mission_id = of_mission AND word_vector(tokens) @@ any_word(words)
        ORDER BY reinforced_at DESC, id DESC LIMIT most $$;
ALTER FUNCTION field_candidates(TEXT, UUID, BIGINT) OWNER TO toolcrib_lookup;
REVOKE ALL ON FUNCTION field_candidates(TEXT, UUID, BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION field_candidates(TEXT, UUID, BIGINT) TO toolcrib_app;

-- A write to the field. `changed`: the value was new, and not only reinforced.
CREATE TABLE field_writes (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  mission_id UUID NOT NULL,
  entry_id UUID NOT NULL,
  changed BOOLEAN NOT NULL,
  written_by UUID,
  written_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
-- The last writes of a mission.
CREATE INDEX field_writes_by_time ON field_writes (workspace_id, mission_id, written_at, id);
SELECT guard_tenant('field_writes', 'SELECT, INSERT');

-- ---------------------------------------------------------------------------------------------------------------------------
-- Playbooks
-- ---------------------------------------------------------------------------------------------------------------------------

-- A playbook with its schedule, if it has one.
CREATE TABLE playbooks (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
  cron TEXT,
  timezone TEXT,
  next_run_at BIGINT,
  max_retries BIGINT NOT NULL,
  step_timeout_s BIGINT NOT NULL,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  caller TEXT,
  set_by UUID,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key)
);
-- The list of playbooks.
CREATE INDEX playbooks_by_time ON playbooks (workspace_id, created_at, id);
-- The playbooks that are due.
CREATE INDEX playbooks_due ON playbooks (next_run_at) WHERE next_run_at IS NOT NULL;
-- The list of the playbooks with a status.
CREATE INDEX playbooks_by_status ON playbooks (workspace_id, status, created_at, id);
SELECT guard_tenant('playbooks', 'SELECT, INSERT, UPDATE, DELETE');
-- A worker finds due playbooks across workspaces and queues an execution of each inside its workspace.
GRANT SELECT ON playbooks TO toolcrib_worker;
GRANT UPDATE (next_run_at) ON playbooks TO toolcrib_worker;
CREATE POLICY workers ON playbooks TO toolcrib_worker USING (true) WITH CHECK (true);

-- A step of a playbook.
CREATE TABLE playbook_steps (
  workspace_id UUID NOT NULL,
  playbook_id UUID NOT NULL,
  position BIGINT NOT NULL,
  prompt TEXT NOT NULL,
  agent_id UUID,
  on_error TEXT NOT NULL CHECK (on_error IN ('stop', 'skip', 'retry')),
  output_key TEXT,
  PRIMARY KEY (workspace_id, playbook_id, position)
);
-- The playbooks whose steps an agent does.
CREATE INDEX playbook_steps_by_agent ON playbook_steps (workspace_id, agent_id);
SELECT guard_tenant('playbook_steps', 'SELECT, INSERT, UPDATE, DELETE');
GRANT SELECT ON playbook_steps TO toolcrib_worker;

-- An execution of a playbook. It stays when its playbook is deleted. One that a runtime reports by itself has no playbook. `output`
-- is the result that the runtime reported.
CREATE TABLE executions (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  playbook_id UUID,
  playbook_name TEXT,
  agent_id UUID,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  input TEXT,
  error TEXT,
  requested_by_kind TEXT,
  requested_by UUID,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  finished_at BIGINT,
  output TEXT,
  caller TEXT,
  PRIMARY KEY (workspace_id, id)
);
-- The time of the workspace's first execution.
CREATE INDEX executions_by_time ON executions (workspace_id, created_at, id);
-- The number of queued and running executions, and the one that waits longest.
CREATE INDEX executions_by_status ON executions (workspace_id, status, created_at);
-- The number of executions that began in each quarter of an hour.
CREATE INDEX executions_by_start ON executions (workspace_id, started_at);
-- Statistics on the executions that ended in a period, which read no table.
CREATE INDEX executions_by_end ON executions
  (workspace_id, finished_at, status, started_at, agent_id, playbook_id, playbook_name, created_at, id);
-- The last executions of a playbook, and their number by status.
CREATE INDEX executions_by_playbook ON executions (workspace_id, playbook_id, created_at, id, status);
SELECT guard_tenant('executions', 'SELECT, INSERT, UPDATE, DELETE');
GRANT SELECT, INSERT, UPDATE ON executions TO toolcrib_worker;

-- A step of an execution: the playbook's step as it was when the execution was requested, and its outcome.
CREATE TABLE execution_steps (
  workspace_id UUID NOT NULL,
  execution_id UUID NOT NULL,
  position BIGINT NOT NULL,
  prompt TEXT,
  agent_id UUID,
  on_error TEXT,
  output_key TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'skipped')),
  output TEXT,
  error TEXT,
  started_at BIGINT,
  finished_at BIGINT,
  PRIMARY KEY (workspace_id, execution_id, position)
);
SELECT guard_tenant('execution_steps', 'SELECT, INSERT, UPDATE, DELETE');
GRANT SELECT, INSERT, UPDATE ON execution_steps TO toolcrib_worker;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Schedules
-- ---------------------------------------------------------------------------------------------------------------------------

-- Something that an agent is asked to do later, once or repeatedly. `due` is the RFC 3339 time or the cron expression as it was
-- given.
CREATE TABLE schedules (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('one_shot', 'recurring')),
  description TEXT NOT NULL,
  due TEXT NOT NULL,
  timezone TEXT NOT NULL,
  agent_id UUID NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'completed', 'cancelled', 'failed')),
  max_runs BIGINT,
  runs BIGINT NOT NULL,
  next_at BIGINT,
  last_at BIGINT,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  caller TEXT,
  PRIMARY KEY (workspace_id, id)
);
-- The list of schedules.
CREATE INDEX schedules_by_time ON schedules (workspace_id, created_at, id);
-- The schedules that are due.
CREATE INDEX schedules_by_due ON schedules (next_at);
-- The number of active schedules of an agent, which each new one is checked against, and those that are deleted with the agent.
CREATE INDEX schedules_by_agent ON schedules (workspace_id, agent_id, status);
-- The number of active recurring schedules, which each new one is checked against.
CREATE INDEX schedules_active ON schedules (workspace_id, kind) WHERE status = 'active';
-- The list of the schedules with a status.
CREATE INDEX schedules_by_status ON schedules (workspace_id, status, created_at, id);
SELECT guard_tenant('schedules', 'SELECT, INSERT, UPDATE, DELETE');
-- A worker finds due schedules across workspaces.
GRANT SELECT, UPDATE ON schedules TO toolcrib_worker;
CREATE POLICY workers ON schedules TO toolcrib_worker USING (true) WITH CHECK (true);

-- A report of an agent. It stays when the agent is deleted, so it has the agent's name beside its id.
CREATE TABLE reports (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  agent_id UUID NOT NULL,
  agent_name TEXT NOT NULL,
  title TEXT NOT NULL,
  content TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'warning', 'critical', 'info')),
  summary TEXT,
  metrics TEXT,
  created_by UUID,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
-- The latest report.
CREATE INDEX reports_by_time ON reports (workspace_id, created_at, id);
-- The latest report of an agent.
CREATE INDEX reports_by_agent ON reports (workspace_id, agent_id, created_at, id);
SELECT guard_tenant('reports', 'SELECT, INSERT');

-- ---------------------------------------------------------------------------------------------------------------------------
-- Memory
-- ---------------------------------------------------------------------------------------------------------------------------

-- A memory of an agent. `agent_id` is the nil UUID for what the whole workspace shares, because NULL values of a unique key are
-- distinct. `tokens` are the words of the content as the program normalised them. `bytes` is a column and no expression of an
-- index, because PostgreSQL reads the table for those.
CREATE TABLE memories (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  agent_id UUID NOT NULL,
  kind TEXT NOT NULL DEFAULT 'note',
  content TEXT NOT NULL,
  content_hash TEXT COLLATE "C" NOT NULL,
  tokens TEXT NOT NULL,
  tags TEXT NOT NULL,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  bytes BIGINT GENERATED ALWAYS AS (octet_length(content)) STORED,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, agent_id, content_hash)
);
-- The list of memories, and the newest candidates of a search for a frequent word.
CREATE INDEX memories_by_time ON memories (workspace_id, created_at, id);
-- The memories that have any word of a search.
CREATE INDEX memories_by_word ON memories USING gin (word_vector(tokens));
-- The number and size of memories by agent and kind.
CREATE INDEX memories_by_agent ON memories (workspace_id, agent_id, kind, bytes, created_at);
-- The list of the memories of an agent.
CREATE INDEX memories_by_agent_and_time ON memories (workspace_id, agent_id, created_at, id);
SELECT guard_tenant('memories', 'SELECT, INSERT, UPDATE, DELETE');
GRANT SELECT ON memories TO toolcrib_lookup;
CREATE POLICY lookup ON memories FOR SELECT TO toolcrib_lookup USING (true);

-- The newest candidates of a search, past the policies as `field_candidates`. The statement is text, so that it is planned with the
-- statistics of the words: the matches of a rare word are fetched by the index by word, and a word that most texts have is looked
-- for from the newest text on. A function in SQL has one plan for all words, which fetched and sorted every match.
CREATE FUNCTION memory_candidates(words TEXT, of_agent UUID, most BIGINT) RETURNS SETOF memories
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ BEGIN RETURN QUERY EXECUTE 'SELECT * FROM memories
        WHERE workspace_id = current_workspace() AND word_vector(tokens) @@ any_word($1)
          AND ($2 IS NULL OR agent_id = $2)
        ORDER BY created_at DESC, id DESC LIMIT $3' USING words, of_agent, most; END $$;
ALTER FUNCTION memory_candidates(TEXT, UUID, BIGINT) OWNER TO toolcrib_lookup;
REVOKE ALL ON FUNCTION memory_candidates(TEXT, UUID, BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memory_candidates(TEXT, UUID, BIGINT) TO toolcrib_app;

-- A tag of a memory, in the order of the list of memories, so that a page of a rare tag does not read all memories. Triggers keep
-- the rows, so that they are right whatever inserts memories.
CREATE TABLE memory_tags (
  workspace_id UUID NOT NULL,
  tag TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  memory_id UUID NOT NULL,
  PRIMARY KEY (workspace_id, tag, created_at, memory_id)
);
SELECT guard_tenant('memory_tags', 'SELECT, INSERT, DELETE');
CREATE FUNCTION add_memory_tags() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO memory_tags SELECT DISTINCT NEW.workspace_id, tag, NEW.created_at, NEW.id
    FROM json_array_elements_text(CAST(NEW.tags AS JSON)) AS tag;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION add_memory_tags() FROM PUBLIC;
CREATE TRIGGER tags_added AFTER INSERT ON memories FOR EACH ROW WHEN (NEW.tags <> '[]')
  EXECUTE FUNCTION add_memory_tags();
CREATE FUNCTION remove_memory_tags() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM memory_tags WHERE workspace_id = OLD.workspace_id AND created_at = OLD.created_at AND memory_id = OLD.id
    AND tag IN (SELECT json_array_elements_text(CAST(OLD.tags AS JSON)));
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION remove_memory_tags() FROM PUBLIC;
CREATE TRIGGER tags_removed AFTER DELETE ON memories FOR EACH ROW WHEN (OLD.tags <> '[]')
  EXECUTE FUNCTION remove_memory_tags();

-- ---------------------------------------------------------------------------------------------------------------------------
-- Documents
-- ---------------------------------------------------------------------------------------------------------------------------

-- A document. Titles are not unique.
CREATE TABLE documents (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT COLLATE "C" NOT NULL,
  content TEXT NOT NULL,
  source_url TEXT,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('processing', 'indexed', 'failed')),
  error TEXT,
  bytes BIGINT NOT NULL,
  passages BIGINT NOT NULL,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
-- The list of documents.
CREATE INDEX documents_by_time ON documents (workspace_id, created_at, id);
-- The newest documents with a title.
CREATE INDEX documents_by_title ON documents (workspace_id, title_key, created_at, id);
-- The list of the documents with a status.
CREATE INDEX documents_by_status ON documents (workspace_id, status, created_at, id);
SELECT guard_tenant('documents', 'SELECT, INSERT, UPDATE, DELETE');

-- A passage of a document. `tokens` are its words as the program normalised them.
CREATE TABLE chunks (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  document_id UUID NOT NULL,
  position BIGINT NOT NULL,
  content TEXT NOT NULL,
  tokens TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, document_id, position)
);
-- The passages that have any word of a search.
CREATE INDEX chunks_by_word ON chunks USING gin (word_vector(tokens));
-- The newest candidates of a search for a frequent word.
CREATE INDEX chunks_by_time ON chunks (workspace_id, created_at, id);
SELECT guard_tenant('chunks', 'SELECT, INSERT, UPDATE, DELETE');
GRANT SELECT ON chunks TO toolcrib_lookup;
CREATE POLICY lookup ON chunks FOR SELECT TO toolcrib_lookup USING (true);

-- The newest candidates of a search, as `memory_candidates`.
CREATE FUNCTION chunk_candidates(words TEXT, most BIGINT) RETURNS SETOF chunks
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ BEGIN RETURN QUERY EXECUTE 'SELECT * FROM chunks
        WHERE workspace_id = current_workspace() AND word_vector(tokens) @@ any_word($1)
        ORDER BY created_at DESC, id DESC LIMIT $2' USING words, most; END $$;
ALTER FUNCTION chunk_candidates(TEXT, BIGINT) OWNER TO toolcrib_lookup;
REVOKE ALL ON FUNCTION chunk_candidates(TEXT, BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION chunk_candidates(TEXT, BIGINT) TO toolcrib_app;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Messages
-- ---------------------------------------------------------------------------------------------------------------------------

-- A message of a chat, as a chat backend reported it. A chat belongs to the users that any of its messages names. `tokens` are the
-- words of the text as the program normalised them.
CREATE TABLE messages (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  occurred_at BIGINT NOT NULL,
  chat_id TEXT COLLATE "C" NOT NULL,
  user_id UUID,
  agent_id UUID,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
  text TEXT NOT NULL,
  tokens TEXT NOT NULL,
  UNIQUE (workspace_id, id)
);
-- The messages of a chat.
CREATE INDEX messages_by_chat ON messages (workspace_id, chat_id, occurred_at, id);
-- The chats of a user.
CREATE INDEX messages_by_user ON messages (workspace_id, user_id, chat_id);
-- The messages that have any word of a search.
CREATE INDEX messages_by_word ON messages USING gin (word_vector(tokens));
-- The newest messages, the number of their chats, and the newest candidates of a search for a frequent word.
CREATE INDEX messages_by_time ON messages (workspace_id, occurred_at, id, chat_id);
SELECT guard_tenant('messages', 'SELECT, INSERT');
GRANT SELECT ON messages TO toolcrib_lookup;
CREATE POLICY lookup ON messages FOR SELECT TO toolcrib_lookup USING (true);

-- The newest candidates of a search, as `memory_candidates`. With a reader, only messages of the reader's chats.
CREATE FUNCTION message_candidates(words TEXT, since BIGINT, reader UUID, most BIGINT) RETURNS SETOF messages
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ BEGIN RETURN QUERY EXECUTE 'SELECT * FROM messages
        WHERE workspace_id = current_workspace() AND word_vector(tokens) @@ any_word($1) AND occurred_at >= $2
          AND ($3 IS NULL OR chat_id IN (SELECT own.chat_id FROM messages own
               WHERE own.workspace_id = current_workspace() AND own.user_id = $3))
        ORDER BY occurred_at DESC, id DESC LIMIT $4' USING words, since, reader, most; END $$;
ALTER FUNCTION message_candidates(TEXT, BIGINT, UUID, BIGINT) OWNER TO toolcrib_lookup;
REVOKE ALL ON FUNCTION message_candidates(TEXT, BIGINT, UUID, BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION message_candidates(TEXT, BIGINT, UUID, BIGINT) TO toolcrib_app;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Declared tools
-- ---------------------------------------------------------------------------------------------------------------------------

-- A toolset: a document of declared tools. A row without a document is for a toolset of the operator and has only the workspace's
-- switch and disabled tools. `disabled_tools` is a JSON list of names. Slugs are compared byte by byte, because lists of tools
-- follow their order.
CREATE TABLE toolsets (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  slug TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  document TEXT,
  digest TEXT,
  enabled BOOLEAN NOT NULL,
  disabled_tools TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by UUID,
  PRIMARY KEY (workspace_id, slug)
);
SELECT guard_tenant('toolsets', 'SELECT, INSERT, UPDATE, DELETE');

-- What a workspace changed of a pack. `version` is incremented by each change, `settings` is JSON or absent for the defaults.
-- Whether the pack is on is in `workspaces.packs`.
CREATE TABLE pack_settings (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  slug TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  settings TEXT,
  updated_at BIGINT NOT NULL,
  updated_by UUID,
  PRIMARY KEY (workspace_id, slug)
);
SELECT guard_tenant('pack_settings', 'SELECT, INSERT, UPDATE, DELETE');

-- A service that declared tools call, or that has language models. `auth_kind` is `none`, `bearer`, `header` or `basic`;
-- `auth_name` is the header's name; `auth_owner` says whose secret is sent: the workspace's or the acting user's. `models` is a
-- JSON array of the models that people may choose, and NULL where the kind is `http` or `mcp`.
CREATE TABLE upstreams (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  name TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  base_url TEXT NOT NULL,
  auth_kind TEXT NOT NULL,
  auth_name TEXT,
  auth_owner TEXT NOT NULL,
  models TEXT,
  context_tokens BIGINT,
  version BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by UUID,
  PRIMARY KEY (workspace_id, name)
);
SELECT guard_tenant('upstreams', 'SELECT, INSERT, UPDATE, DELETE');

-- An encrypted secret of an upstream: the workspace's, without a user, or a user's. `upstream` is the name of an upstream of the
-- workspace, or `<slug>.<name>` of one that an operator's toolset declares.
CREATE TABLE upstream_secrets (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  upstream TEXT COLLATE "C" NOT NULL,
  user_id UUID,
  sealed TEXT NOT NULL,
  set_by UUID,
  set_at BIGINT NOT NULL
);
-- The workspace's secret of an upstream, and a user's. They are indexes and no key, because the user may be NULL.
CREATE UNIQUE INDEX upstream_secrets_of_workspace ON upstream_secrets (workspace_id, upstream) WHERE user_id IS NULL;
CREATE UNIQUE INDEX upstream_secrets_of_users ON upstream_secrets (workspace_id, upstream, user_id)
  WHERE user_id IS NOT NULL;
-- The secrets of a user, which are deleted when the member leaves.
CREATE INDEX upstream_secrets_by_user ON upstream_secrets (workspace_id, user_id) WHERE user_id IS NOT NULL;
SELECT guard_tenant('upstream_secrets', 'SELECT, INSERT, DELETE');

-- A definition of a tool that an MCP server listed, as it gave it. `upstream` is the upstream as in `upstream_secrets`. `digest`
-- covers name, text and schemas, `schema_digest` the schemas alone. At most one definition of a tool is the current one; if none
-- is, the server does not list the tool. `seen_at` is when the definition last became the current one. A row without a tool stands
-- for a server that was asked and has no other row.
CREATE TABLE upstream_tools (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  upstream TEXT COLLATE "C" NOT NULL,
  tool TEXT COLLATE "C" NOT NULL,
  digest TEXT COLLATE "C" NOT NULL,
  schema_digest TEXT NOT NULL,
  definition TEXT NOT NULL,
  is_current BOOLEAN NOT NULL,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, upstream, tool, digest)
);
-- The current definition of a tool: at most one.
CREATE UNIQUE INDEX upstream_tools_current ON upstream_tools (workspace_id, upstream, tool) WHERE is_current;
SELECT guard_tenant('upstream_tools', 'SELECT, INSERT, UPDATE, DELETE');

-- ---------------------------------------------------------------------------------------------------------------------------
-- Datasources
-- ---------------------------------------------------------------------------------------------------------------------------

-- A database that an admin of the workspace registered. `config_encrypted` is the connection string, which is stored only
-- encrypted.
CREATE TABLE datasources (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('postgres', 'sqlite')),
  config_encrypted TEXT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key)
);
SELECT guard_tenant('datasources', 'SELECT, INSERT, UPDATE, DELETE');

-- ---------------------------------------------------------------------------------------------------------------------------
-- Reported records
-- ---------------------------------------------------------------------------------------------------------------------------

-- A call of a model, as a runtime reported it. The reporter assigns the id, so that reporting a record again changes nothing.
CREATE TABLE llm_usage (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  occurred_at BIGINT NOT NULL,
  agent_id UUID,
  execution_id UUID,
  mission_id UUID,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cost_microusd BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
-- Statistics on both ends of a period, where totals have no whole quarter of an hour or day. They read no table.
CREATE INDEX llm_usage_by_time ON llm_usage
  (workspace_id, occurred_at, agent_id, model, provider, cost_microusd, input_tokens, output_tokens);
-- The cost of an agent since a time.
CREATE INDEX llm_usage_by_agent ON llm_usage (workspace_id, agent_id, occurred_at, cost_microusd);
-- The cost of an execution.
CREATE INDEX llm_usage_by_execution ON llm_usage (workspace_id, execution_id, cost_microusd);
-- Cost and tokens of a mission.
CREATE INDEX llm_usage_by_mission ON llm_usage (workspace_id, mission_id, cost_microusd, input_tokens, output_tokens);
SELECT guard_tenant('llm_usage', 'SELECT, INSERT');

-- The totals of a model in a quarter of an hour, and those of an agent on a day, so that a statistic over a period reads single
-- calls only at both ends of it. A quarter of an hour is the smallest offset of a time zone. A call without an agent has the nil
-- UUID. A trigger keeps the rows, so that they are right whatever inserts calls.
CREATE TABLE llm_usage_quarters (
  workspace_id UUID NOT NULL,
  quarter BIGINT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  calls BIGINT NOT NULL,
  cost_microusd BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, quarter, model, provider)
) WITH (fillfactor = 70);
SELECT guard_tenant('llm_usage_quarters', 'SELECT, INSERT, UPDATE');
CREATE TABLE llm_usage_days (
  workspace_id UUID NOT NULL,
  day BIGINT NOT NULL,
  agent_id UUID NOT NULL,
  calls BIGINT NOT NULL,
  cost_microusd BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, day, agent_id)
) WITH (fillfactor = 70);
SELECT guard_tenant('llm_usage_days', 'SELECT, INSERT, UPDATE');

-- Once a statement. The rows of a table are locked in the order of its key, so that two statements do not deadlock.
CREATE FUNCTION add_llm_usage() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO llm_usage_quarters AS kept
    SELECT workspace_id, occurred_at / 900000000, model, provider, COUNT(*), SUM(cost_microusd), SUM(input_tokens),
      SUM(output_tokens) FROM added GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (workspace_id, quarter, model, provider) DO UPDATE SET calls = kept.calls + excluded.calls,
      cost_microusd = kept.cost_microusd + excluded.cost_microusd, input_tokens = kept.input_tokens + excluded.input_tokens,
      output_tokens = kept.output_tokens + excluded.output_tokens;
  INSERT INTO llm_usage_days AS kept
    SELECT workspace_id, occurred_at / 86400000000, coalesce(agent_id, '00000000-0000-0000-0000-000000000000'), COUNT(*),
      SUM(cost_microusd), SUM(input_tokens), SUM(output_tokens) FROM added GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (workspace_id, day, agent_id) DO UPDATE SET calls = kept.calls + excluded.calls,
      cost_microusd = kept.cost_microusd + excluded.cost_microusd, input_tokens = kept.input_tokens + excluded.input_tokens,
      output_tokens = kept.output_tokens + excluded.output_tokens;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION add_llm_usage() FROM PUBLIC;
CREATE TRIGGER totals AFTER INSERT ON llm_usage REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION add_llm_usage();

-- A heartbeat that took place, as a runtime reported it. The reporter assigns the id.
CREATE TABLE heartbeat_runs (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  occurred_at BIGINT NOT NULL,
  agent_id UUID NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'acted', 'failed')),
  note TEXT,
  PRIMARY KEY (workspace_id, id)
);
SELECT guard_tenant('heartbeat_runs', 'SELECT, INSERT');

-- The id of a reported record that changed a row of another table, so that reporting it again changes nothing.
CREATE TABLE record_ids (
  workspace_id UUID NOT NULL,
  kind TEXT NOT NULL,
  id UUID NOT NULL,
  recorded_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, kind, id)
);
SELECT guard_tenant('record_ids', 'SELECT, INSERT');

-- ---------------------------------------------------------------------------------------------------------------------------
-- Assistant
-- ---------------------------------------------------------------------------------------------------------------------------

-- A run of the assistant: what follows one message, until an answer. `owner_id` is the person, or the key that acts for none.
-- `caller` is the stored caller. `model` is the name at its service, and `upstream` the service's, or NULL for the operator's.
-- `preface` stands before the words of the message. `history_from` is the first run of the thread that the model is shown.
-- `fence` grows with each process that takes the run; a process holds it until `lease_until`.
CREATE TABLE assistant_runs (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  owner_id UUID NOT NULL,
  user_id UUID,
  kind TEXT NOT NULL CHECK (kind IN ('chat', 'heartbeat', 'schedule', 'playbook', 'mission')),
  ref_id UUID,
  position BIGINT,
  thread TEXT COLLATE "C" NOT NULL,
  message_id TEXT COLLATE "C",
  agent_id UUID,
  caller TEXT NOT NULL,
  model TEXT NOT NULL,
  upstream TEXT,
  message TEXT NOT NULL,
  preface TEXT,
  history_from UUID,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'waiting', 'completed', 'failed', 'stopped')),
  stop BOOLEAN NOT NULL,
  fence BIGINT NOT NULL,
  lease_until BIGINT,
  lost BIGINT NOT NULL,
  deadline BIGINT NOT NULL,
  steps BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  cached_input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cost_microusd BIGINT NOT NULL,
  cost_known BOOLEAN NOT NULL,
  error_code TEXT,
  error TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  ended_at BIGINT,
  PRIMARY KEY (workspace_id, id)
);
-- A thread has one open run.
CREATE UNIQUE INDEX assistant_runs_open ON assistant_runs (workspace_id, owner_id, thread)
  WHERE state IN ('queued', 'running', 'waiting');
-- The runs of a thread, and the threads of a person.
CREATE INDEX assistant_runs_by_thread ON assistant_runs (workspace_id, owner_id, thread, created_at, id);
-- The list of runs, and the runs and tokens of a day.
CREATE INDEX assistant_runs_by_time ON assistant_runs (workspace_id, created_at, id);
-- What a worker looks at: runs that nobody holds, that may have lost their process, or that wait.
CREATE INDEX assistant_runs_unended ON assistant_runs (state, created_at) WHERE state IN ('queued', 'running', 'waiting');
SELECT guard_tenant('assistant_runs', 'SELECT, INSERT, UPDATE, DELETE');
-- A worker finds across workspaces the runs to take.
-- The scheduler queues a run inside the workspace of what is due.
GRANT SELECT, INSERT ON assistant_runs TO toolcrib_worker;
CREATE POLICY workers ON assistant_runs FOR SELECT TO toolcrib_worker USING (true);

-- A step of a run: what the model said. `provider_message` is its message as the service gave it, in `format`. `prefix` is a
-- digest of what the model was told before it. `output_tokens` and the other numbers are of this request.
CREATE TABLE assistant_steps (
  workspace_id UUID NOT NULL,
  run_id UUID NOT NULL,
  step BIGINT NOT NULL,
  text TEXT NOT NULL,
  reasoning TEXT NOT NULL,
  provider_message TEXT NOT NULL,
  format TEXT NOT NULL,
  model TEXT NOT NULL,
  prefix TEXT NOT NULL,
  finish TEXT NOT NULL,
  input_tokens BIGINT NOT NULL,
  cached_input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  estimated BOOLEAN NOT NULL,
  duration_ms BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, run_id, step)
);
SELECT guard_tenant('assistant_steps', 'SELECT, INSERT, DELETE');

-- A call that the model asked for in a step. `provider_id` is the service's id of it, `name` what the
-- model called, and `action` what that is. `answer` is what the model reads.
CREATE TABLE assistant_calls (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  run_id UUID NOT NULL,
  step BIGINT NOT NULL,
  position BIGINT NOT NULL,
  provider_id TEXT NOT NULL,
  name TEXT NOT NULL,
  arguments TEXT NOT NULL,
  action TEXT,
  state TEXT NOT NULL CHECK (state IN ('planned', 'waiting', 'answered')),
  confirmation_id UUID,
  call_id UUID,
  answer TEXT,
  is_error BOOLEAN NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, run_id, step, position)
);
-- The calls that wait for a confirmation.
CREATE INDEX assistant_calls_waiting ON assistant_calls (workspace_id, confirmation_id) WHERE state = 'waiting';
SELECT guard_tenant('assistant_calls', 'SELECT, INSERT, UPDATE, DELETE');
GRANT SELECT ON assistant_calls TO toolcrib_worker;
CREATE POLICY workers ON assistant_calls FOR SELECT TO toolcrib_worker USING (true);

-- ---------------------------------------------------------------------------------------------------------------------------
-- Alerts
-- ---------------------------------------------------------------------------------------------------------------------------

-- An alert that an Alertmanager delivered. `workspace_id` is the nil UUID for an alert without the label of a workspace.
CREATE TABLE alerts (
  workspace_id UUID NOT NULL,
  fingerprint TEXT COLLATE "C" NOT NULL,
  starts_at BIGINT NOT NULL,
  ended_at BIGINT,
  name TEXT NOT NULL,
  severity TEXT,
  subject TEXT NOT NULL,
  summary TEXT NOT NULL,
  labels TEXT NOT NULL,
  received_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, fingerprint, starts_at)
);
-- The alerts of a workspace that were received since a time, and the old ones, which the next delivery deletes.
CREATE INDEX alerts_by_time ON alerts (workspace_id, received_at);
SELECT guard_tenant('alerts', 'SELECT, INSERT, UPDATE, DELETE');
GRANT SELECT ON alerts TO toolcrib_lookup;
CREATE POLICY lookup ON alerts FOR SELECT TO toolcrib_lookup USING (true);

-- The alerts of all workspaces, for system admins: row level security shows each request only those of its workspace.
CREATE FUNCTION alerts_anywhere(since BIGINT, most BIGINT) RETURNS SETOF alerts
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT * FROM alerts WHERE received_at >= since ORDER BY starts_at DESC, fingerprint LIMIT most $$;
ALTER FUNCTION alerts_anywhere(BIGINT, BIGINT) OWNER TO toolcrib_lookup;
REVOKE ALL ON FUNCTION alerts_anywhere(BIGINT, BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION alerts_anywhere(BIGINT, BIGINT) TO toolcrib_app;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Upkeep
-- ---------------------------------------------------------------------------------------------------------------------------

-- Analyzes the tables that have grown, so that plans fit them. It runs as the tables' owner, because only the owner may. Those are
-- tables that were never analyzed, or are four times as large since, up to 64 MiB; `relpages` is the size at the last time, in
-- blocks of 8 KiB. Another process may analyze the same table at the same time: one of them is enough.
CREATE FUNCTION refresh_plans() RETURNS BIGINT
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
DECLARE grown TEXT[];
BEGIN
  SELECT array_agg(format('%I.%I', n.nspname, c.relname) ORDER BY c.relname) INTO grown
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind = 'r'
      AND pg_relation_size(c.oid) > greatest(c.relpages, 0)::bigint * 4 * 8192
      AND pg_relation_size(c.oid) <= 67108864;
  IF grown IS NULL THEN
    RETURN 0;
  END IF;
  EXECUTE 'ANALYZE (SKIP_LOCKED) ' || array_to_string(grown, ', ');
  RETURN cardinality(grown);
END $$;
REVOKE ALL ON FUNCTION refresh_plans() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION refresh_plans() TO toolcrib_worker;

-- A service whose login can't migrate checks at its start that the database has the schema of its version.
GRANT SELECT ON _sqlx_migrations TO toolcrib_app;

REVOKE CREATE ON SCHEMA public FROM toolcrib_lookup;
