-- The schema of Toolcrib's own database on SQLite. `migrations/postgres/0001_schema.sql` has the same tables and columns, and a
-- test compares them. Until the first release a change of the schema edits both files.
--
-- Ids are UUIDs (version 7), times are microseconds since 1970, and JSON is text. A table with `workspace_id` belongs to tenants.
-- `name_key` and `title_key` are a name as the program folds it for comparison, because the databases fold case differently.
--
-- Sections: tenancy, access, calls, audit, confirmations, events, agents, marketplace, assignments, governance, tasks, missions,
-- playbooks, schedules, memory, documents, messages, declared tools, datasources, reported records, assistant, alerts.

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
  id BLOB NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  external_id TEXT UNIQUE,
  plan TEXT NOT NULL DEFAULT 'standard',
  approval_mode TEXT NOT NULL DEFAULT 'standard' CHECK (approval_mode IN ('standard', 'confirm_writes', 'read_only')),
  four_eyes INTEGER NOT NULL DEFAULT 0,
  agents_inherit_admin INTEGER NOT NULL DEFAULT 0,
  approve_url_template TEXT,
  write_per_minute INTEGER NOT NULL DEFAULT 10,
  read_per_minute INTEGER NOT NULL DEFAULT 600,
  external_per_minute INTEGER NOT NULL DEFAULT 60,
  default_model TEXT,
  access_version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  promotions TEXT,
  write_share_percent INTEGER NOT NULL DEFAULT 60,
  open_confirmations INTEGER NOT NULL DEFAULT 50,
  open_confirmations_per_caller INTEGER NOT NULL DEFAULT 10,
  toolset_version INTEGER NOT NULL DEFAULT 0,
  client_per_minute INTEGER NOT NULL DEFAULT 120,
  packs TEXT NOT NULL DEFAULT '',
  assistant_run_microusd INTEGER,
  assistant_day_microusd INTEGER,
  assistant_background_microusd INTEGER,
  runner TEXT NOT NULL DEFAULT 'external' CHECK (runner IN ('external', 'internal'))
) STRICT;

-- A person, as an issuer of tokens names them. Users belong to no workspace.
CREATE TABLE users (
  id BLOB NOT NULL PRIMARY KEY,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  display_name TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (issuer, subject)
) STRICT;

-- A user's membership of a workspace.
CREATE TABLE members (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  user_id BLOB NOT NULL REFERENCES users (id),
  role TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1,
  display_name TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
) STRICT;
-- The workspaces of a user.
CREATE INDEX members_by_user ON members (user_id);

-- ---------------------------------------------------------------------------------------------------------------------------
-- Access
-- ---------------------------------------------------------------------------------------------------------------------------

-- A key of an agent or a service, with the hash of its secret. `runs_as` is the user on whose behalf an agent's key acts.
-- `parent_id` is the key that made this one. `old_secret_hash` is the secret before the key was adopted, which is accepted until
-- `old_secret_until`.
CREATE TABLE keys (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  id BLOB NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'service')),
  name TEXT NOT NULL,
  secret_hash BLOB NOT NULL,
  agent_id BLOB,
  runs_as BLOB,
  mission_id BLOB,
  role TEXT,
  scopes TEXT NOT NULL,
  caller_types TEXT NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER,
  parent_id BLOB,
  old_secret_hash BLOB,
  old_secret_until INTEGER,
  PRIMARY KEY (workspace_id, id)
) STRICT;
-- The keys that a key made: they are revoked with it, and expire no later.
CREATE INDEX keys_by_parent ON keys (workspace_id, parent_id);
-- The keys that are revoked with their agent.
CREATE INDEX keys_by_agent ON keys (workspace_id, agent_id) WHERE revoked_at IS NULL;

-- A user to whom a secret of a key was shown. `is_current`: the key may do what this user may do. The others only know a secret of
-- the key: always, or until `known_until`.
CREATE TABLE key_minters (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  key_id BLOB NOT NULL,
  user_id BLOB NOT NULL,
  is_current INTEGER NOT NULL,
  known_until INTEGER,
  PRIMARY KEY (workspace_id, key_id, user_id)
) STRICT;
-- The keys of a user: when a member leaves, and in the audit log of a user.
CREATE INDEX key_minters_by_user ON key_minters (workspace_id, user_id);

-- A key of the operator, which belongs to no workspace. Only the command line creates one.
CREATE TABLE operator_keys (
  id BLOB NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  secret_hash BLOB NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

-- An invitation to become a member: whoever signs in with its code uses it up. `code_hash` is the SHA-256 of the secret in the code.
-- `inviter` is the caller who made it, as a stored caller, and `invited_by` their user. An invitation of the operator has no inviter:
-- it counts for people of `issuer` alone, and only until the workspace has an owner.
CREATE TABLE invitations (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  id BLOB NOT NULL,
  code_hash BLOB NOT NULL,
  role TEXT NOT NULL,
  email TEXT,
  inviter TEXT,
  invited_by BLOB,
  issuer TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_by BLOB,
  used_at INTEGER,
  revoked_at INTEGER,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, code_hash)
) STRICT, WITHOUT ROWID;
-- The invitations that ended long ago, which a worker deletes.
CREATE INDEX invitations_by_end ON invitations (expires_at);

-- A session of the console. `id_hash` is the SHA-256 of the secret in the cookie. A session is a user's credential and belongs to
-- no workspace; `workspace` is the workspace claim of the token that signed in, if it had one.
CREATE TABLE sessions (
  id_hash BLOB NOT NULL PRIMARY KEY,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  workspace TEXT,
  name TEXT,
  system_admin INTEGER NOT NULL,
  way TEXT NOT NULL CHECK (way IN ('token', 'link', 'oidc')),
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- The sessions of a user, which end together.
CREATE INDEX sessions_of_user ON sessions (issuer, subject);
-- The sessions that ended, which a worker deletes.
CREATE INDEX sessions_by_end ON sessions (ends_at);

-- A one-time code that was used to sign in, until it expires.
CREATE TABLE used_login_codes (
  jti TEXT NOT NULL PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whether the database may be served: one row. A backup is made without it, so that a database which was put back from one is held,
-- whoever started `serve` on it. `toolcrib restore` inserts it as `restored`: nobody may sign in or call. `accepted`: webhooks and due
-- work are held. `heads` is a JSON object with the heads that the audit logs had in the backup, by workspace.
CREATE TABLE serving (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  state TEXT NOT NULL CHECK (state IN ('restored', 'accepted', 'open')),
  changed_at INTEGER NOT NULL,
  heads TEXT
) STRICT;
INSERT INTO serving (id, state, changed_at) VALUES (1, 'open', 0);

-- ---------------------------------------------------------------------------------------------------------------------------
-- Calls
-- ---------------------------------------------------------------------------------------------------------------------------

-- An idempotency key of a principal and an action, with the response that is repeated. Without a status and a confirmation the
-- call still runs.
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
-- The expired keys, which a worker deletes.
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);

-- A call that runs outside this service: one that its caller runs, or one that waits for an upstream's response. `arguments` are
-- the raw ones and are kept while the call is open: `ready` until it is claimed (at the latest at `claim_by`), then `running` (at
-- the latest until `end_by`). `result` and `report_digest` are of the report that ended the call.
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

-- An effect of a pack's action whose outcome and record are not both committed. `target_key` is the thing that it changes: one
-- effect of a thing is open at a time. `plan` is what the action resolved the call to, `output` that of a success whose record
-- failed. A worker looks at it at `next_look`.
CREATE TABLE open_effects (
  workspace_id BLOB NOT NULL,
  call_id BLOB NOT NULL,
  action TEXT NOT NULL,
  target_key TEXT NOT NULL,
  arguments TEXT NOT NULL,
  plan TEXT NOT NULL,
  requester TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  next_look INTEGER,
  looks INTEGER NOT NULL,
  output TEXT,
  PRIMARY KEY (workspace_id, call_id),
  UNIQUE (workspace_id, target_key)
) STRICT;
-- The effects that a worker looks at.
CREATE INDEX open_effects_to_look ON open_effects (next_look) WHERE next_look IS NOT NULL;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Audit
-- ---------------------------------------------------------------------------------------------------------------------------

-- A call or a decision: who, on whose behalf, what, with which outcome. `minters`, `edited_by`, `issuer` and `subject` say whom a
-- row is attributed to beside its principal. `repaired` is a JSON list of pointers to the arguments that were read differently from
-- how a model wrote them. `executor` is what ran the tool, `definition` the digest of its definition, `call_ref` the row of the
-- call that an outcome belongs to, and `reported_by` the principal that reported it. The columns from `minters` on are part of the
-- hash of a row only if they have a value.
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
  minters TEXT,
  edited_by BLOB,
  issuer TEXT,
  subject TEXT,
  repaired TEXT,
  executor TEXT,
  definition TEXT,
  call_ref BLOB,
  reported_by BLOB,
  PRIMARY KEY (workspace_id, id)
) STRICT;
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
-- The log, its chain and the checkpoints are append-only for everybody.
CREATE TRIGGER action_log_no_update BEFORE UPDATE ON action_log BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER action_log_no_delete BEFORE DELETE ON action_log BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- A row of the log that is sealed: its position in the chain of its workspace, and the hashes of the row and of the chain up to
-- it. `newest` is the latest time in the chain up to here.
CREATE TABLE audit_chain (
  workspace_id BLOB NOT NULL,
  seq INTEGER NOT NULL,
  row_id BLOB NOT NULL,
  row_hash TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  sealed_at INTEGER NOT NULL,
  newest INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, seq),
  UNIQUE (workspace_id, row_id)
) STRICT;
CREATE TRIGGER audit_chain_no_update BEFORE UPDATE ON audit_chain BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END;
CREATE TRIGGER audit_chain_no_delete BEFORE DELETE ON audit_chain BEGIN SELECT RAISE(ABORT, 'the audit chain is append-only'); END;

-- A signature of the chain of a workspace up to a position. `public_key` names the key that signed.
CREATE TABLE audit_checkpoints (
  workspace_id BLOB NOT NULL,
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL,
  signature TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  public_key TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (workspace_id, seq)
) STRICT;
CREATE TRIGGER audit_checkpoints_no_update BEFORE UPDATE ON audit_checkpoints BEGIN SELECT RAISE(ABORT, 'audit checkpoints are append-only'); END;
CREATE TRIGGER audit_checkpoints_no_delete BEFORE DELETE ON audit_checkpoints BEGIN SELECT RAISE(ABORT, 'audit checkpoints are append-only'); END;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Confirmations
-- ---------------------------------------------------------------------------------------------------------------------------

-- A call that a person has to approve, with what they are shown and what became of it. `upstream_target` is what an approval of a
-- call to an upstream is bound to: the path of its target and the version that the upstream gave. `repaired` is a JSON list of
-- pointers to what was repaired in the model's call. `history` is a JSON list of what happened to the confirmation.
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
  upstream_target TEXT,
  repaired TEXT,
  superseded_by BLOB,
  PRIMARY KEY (workspace_id, id)
) STRICT;
-- The list of confirmations with a status, and the number of open ones, which each new one is checked against.
CREATE INDEX confirmations_by_status ON confirmations (workspace_id, status, created_at);
-- The confirmations that nobody decided in time, which a worker ends.
CREATE INDEX confirmations_open ON confirmations (expires_at) WHERE status IN ('pending', 'awaiting_phrase');

-- ---------------------------------------------------------------------------------------------------------------------------
-- Events
-- ---------------------------------------------------------------------------------------------------------------------------

-- An event of the outbox, inserted in the transaction that it tells about. `place` is its position among the committed events.
-- On SQLite one writer commits in the order of `seq`, so that `seq` is the position and `place` stays NULL.
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
  place INTEGER,
  UNIQUE (workspace_id, id)
) STRICT;
-- The events of a workspace after a position, and its last position.
CREATE INDEX events_by_workspace ON events (workspace_id, seq);
-- The unique key that PostgreSQL has.
CREATE UNIQUE INDEX events_by_place ON events (workspace_id, place);
-- The activity feed, which reads only this index of the events that it does not show.
CREATE INDEX events_by_time ON events (workspace_id, occurred_at, id, kind, name, permission);

-- A notification in the console. `audience` is `admins`, or `user` for the user, agent or key of `user_id`. `except_user_id` is
-- the one admin who does not get it.
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
  except_user_id BLOB,
  confirmation_id BLOB,
  PRIMARY KEY (workspace_id, id)
) STRICT;
-- The list of notifications.
CREATE INDEX notifications_by_time ON notifications (workspace_id, created_at, id);

-- That a user has read a notification.
CREATE TABLE notification_reads (
  workspace_id BLOB NOT NULL,
  notification_id BLOB NOT NULL,
  user_id BLOB NOT NULL,
  read_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, notification_id, user_id)
) STRICT;

-- A URL to which a workspace's events are sent. `place` is the position up to which the events were read for it; events before
-- `since` are not sent. The secrets that sign are encrypted, and the previous one is valid until `previous_until`. For messages to
-- people the secret is that of the service, `receiver` is JSON, and nothing is sent before `free_at`.
CREATE TABLE webhooks (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  format TEXT NOT NULL CHECK (format IN ('standard', 'slack', 'telegram', 'twilio')),
  url TEXT NOT NULL,
  receiver TEXT,
  types TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  place INTEGER NOT NULL,
  since INTEGER NOT NULL,
  free_at INTEGER NOT NULL,
  secret_encrypted TEXT NOT NULL,
  previous_encrypted TEXT,
  previous_until INTEGER,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;

-- An event for a webhook, with the body that is sent each time. `next_at` is when a pending delivery is tried, or when a try that
-- runs counts as failed; it runs while `in_flight` and until then. A dead delivery has none.
CREATE TABLE webhook_deliveries (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  webhook_id BLOB NOT NULL,
  event_id BLOB NOT NULL,
  event_name TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'dead')),
  attempts INTEGER NOT NULL,
  next_at INTEGER,
  in_flight INTEGER NOT NULL,
  answered INTEGER,
  problem TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, webhook_id, event_id)
) STRICT;
-- The deliveries that are due.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at) WHERE status = 'pending';
-- The list of the deliveries of a webhook.
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (workspace_id, webhook_id, created_at, id);

-- ---------------------------------------------------------------------------------------------------------------------------
-- Agents
-- ---------------------------------------------------------------------------------------------------------------------------

-- An agent. Names are unique regardless of case. `tool_count`, `skill_count`, `plugin_count` and `heartbeat` are what the agent was
-- given, kept by triggers of those tables. `prompted`: the system prompt has a character that is not white space. It is a column
-- and no expression of an index, because PostgreSQL reads the table for those.
CREATE TABLE agents (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  slug TEXT NOT NULL,
  role TEXT NOT NULL,
  model TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
  description TEXT,
  system_prompt TEXT,
  temperature REAL,
  tags TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_active_at INTEGER,
  tool_count INTEGER NOT NULL DEFAULT 0,
  skill_count INTEGER NOT NULL DEFAULT 0,
  plugin_count INTEGER NOT NULL DEFAULT 0,
  heartbeat INTEGER NOT NULL DEFAULT 0,
  prompted INTEGER GENERATED ALWAYS AS (coalesce(trim(system_prompt, char(9, 10, 11, 12, 13, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197,
    8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288)), '') <> '') VIRTUAL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key),
  UNIQUE (workspace_id, slug)
) STRICT;
-- The list of agents.
CREATE INDEX agents_by_time ON agents (workspace_id, created_at, id);
-- The number of agents that use a model.
CREATE INDEX agents_by_model ON agents (workspace_id, model, status);
-- The audit of all agents by a blueprint: agents grouped by what its rules ask.
CREATE INDEX agents_by_facts ON agents (workspace_id, model, tags, tool_count, prompted);
-- The list of the agents with a status, and the number of active ones.
CREATE INDEX agents_by_status ON agents (workspace_id, status, created_at, id);

-- ---------------------------------------------------------------------------------------------------------------------------
-- Marketplace
-- ---------------------------------------------------------------------------------------------------------------------------

-- The version of a file of built-in data that was loaded last: marketplace items or models. The files are in `crates/store/data`.
CREATE TABLE catalogue_versions (
  catalogue TEXT NOT NULL PRIMARY KEY,
  version TEXT NOT NULL,
  digest TEXT NOT NULL
) STRICT;

-- A template of an agent, a skill or a plugin that any workspace can install. System admins add to the built-in ones. `search_key`
-- is the text that a search compares.
CREATE TABLE marketplace_items (
  id BLOB NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'skill', 'plugin')),
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  category TEXT NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  search_key TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'withdrawn')),
  version TEXT NOT NULL,
  author TEXT NOT NULL,
  content TEXT NOT NULL,
  built_in INTEGER NOT NULL,
  install_count INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (kind, slug)
) STRICT;
-- The list of the approved items of a kind.
CREATE INDEX marketplace_items_by_time ON marketplace_items (kind, status, published_at, id);
-- The template with the name of a new agent.
CREATE INDEX marketplace_items_by_name ON marketplace_items (kind, name_key);

-- A model that any workspace can install, with its prices.
CREATE TABLE models (
  model TEXT NOT NULL PRIMARY KEY,
  provider TEXT NOT NULL,
  name TEXT NOT NULL,
  context_tokens INTEGER NOT NULL,
  max_output_tokens INTEGER NOT NULL,
  input_microusd_per_mtok INTEGER NOT NULL,
  output_microusd_per_mtok INTEGER NOT NULL,
  capabilities TEXT NOT NULL,
  tier TEXT NOT NULL CHECK (tier IN ('free', 'budget', 'mid', 'premium')),
  built_in INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- A marketplace item that a workspace installed.
CREATE TABLE installs (
  workspace_id BLOB NOT NULL,
  item_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  installed_by BLOB,
  installed_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, item_id)
) STRICT;

-- A model that a workspace installed.
CREATE TABLE workspace_models (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  model TEXT NOT NULL,
  installed_by BLOB,
  installed_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, model)
) STRICT;

-- An app that is connected in a workspace. Apps and names are unique.
CREATE TABLE connections (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  app TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, app),
  UNIQUE (workspace_id, name_key)
) STRICT;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Assignments
-- ---------------------------------------------------------------------------------------------------------------------------

-- A connection that an agent may use.
CREATE TABLE agent_tools (
  workspace_id BLOB NOT NULL,
  agent_id BLOB NOT NULL,
  connection_id BLOB NOT NULL,
  assigned_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, connection_id)
) STRICT;
CREATE TRIGGER agent_tools_given AFTER INSERT ON agent_tools BEGIN
  UPDATE agents SET tool_count = (SELECT COUNT(*) FROM agent_tools WHERE workspace_id = NEW.workspace_id AND agent_id = NEW.agent_id)
    WHERE workspace_id = NEW.workspace_id AND id = NEW.agent_id;
END;
CREATE TRIGGER agent_tools_taken AFTER DELETE ON agent_tools BEGIN
  UPDATE agents SET tool_count = (SELECT COUNT(*) FROM agent_tools WHERE workspace_id = OLD.workspace_id AND agent_id = OLD.agent_id)
    WHERE workspace_id = OLD.workspace_id AND id = OLD.agent_id;
END;

-- A skill that an agent has.
CREATE TABLE agent_skills (
  workspace_id BLOB NOT NULL,
  agent_id BLOB NOT NULL,
  item_id BLOB NOT NULL,
  assigned_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, item_id)
) STRICT;
CREATE TRIGGER agent_skills_given AFTER INSERT ON agent_skills BEGIN
  UPDATE agents SET skill_count = (SELECT COUNT(*) FROM agent_skills WHERE workspace_id = NEW.workspace_id AND agent_id = NEW.agent_id)
    WHERE workspace_id = NEW.workspace_id AND id = NEW.agent_id;
END;
CREATE TRIGGER agent_skills_taken AFTER DELETE ON agent_skills BEGIN
  UPDATE agents SET skill_count = (SELECT COUNT(*) FROM agent_skills WHERE workspace_id = OLD.workspace_id AND agent_id = OLD.agent_id)
    WHERE workspace_id = OLD.workspace_id AND id = OLD.agent_id;
END;

-- A plugin that an agent has.
CREATE TABLE agent_plugins (
  workspace_id BLOB NOT NULL,
  agent_id BLOB NOT NULL,
  item_id BLOB NOT NULL,
  assigned_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, item_id)
) STRICT;
CREATE TRIGGER agent_plugins_given AFTER INSERT ON agent_plugins BEGIN
  UPDATE agents SET plugin_count = (SELECT COUNT(*) FROM agent_plugins WHERE workspace_id = NEW.workspace_id AND agent_id = NEW.agent_id)
    WHERE workspace_id = NEW.workspace_id AND id = NEW.agent_id;
END;
CREATE TRIGGER agent_plugins_taken AFTER DELETE ON agent_plugins BEGIN
  UPDATE agents SET plugin_count = (SELECT COUNT(*) FROM agent_plugins WHERE workspace_id = OLD.workspace_id AND agent_id = OLD.agent_id)
    WHERE workspace_id = OLD.workspace_id AND id = OLD.agent_id;
END;

-- The heartbeat of an agent: how often, and within which hours, it looks for work by itself. `active_hours` is a JSON object
-- (start, end, timezone). `next_due_at` is NULL while the heartbeat is off.
CREATE TABLE heartbeats (
  workspace_id BLOB NOT NULL,
  agent_id BLOB NOT NULL,
  enabled INTEGER NOT NULL,
  interval_minutes INTEGER NOT NULL,
  prompt TEXT,
  active_hours TEXT,
  mode TEXT NOT NULL CHECK (mode IN ('silent', 'notify', 'act')),
  next_due_at INTEGER,
  updated_at INTEGER NOT NULL,
  caller TEXT,
  set_by BLOB,
  PRIMARY KEY (workspace_id, agent_id)
) STRICT;
-- The heartbeats that are due.
CREATE INDEX heartbeats_by_due ON heartbeats (next_due_at);
CREATE TRIGGER heartbeats_begun AFTER INSERT ON heartbeats BEGIN
  UPDATE agents SET heartbeat = NEW.enabled WHERE workspace_id = NEW.workspace_id AND id = NEW.agent_id;
END;
CREATE TRIGGER heartbeats_changed AFTER UPDATE OF enabled ON heartbeats BEGIN
  UPDATE agents SET heartbeat = NEW.enabled WHERE workspace_id = NEW.workspace_id AND id = NEW.agent_id;
END;
CREATE TRIGGER heartbeats_ended AFTER DELETE ON heartbeats BEGIN
  UPDATE agents SET heartbeat = 0 WHERE workspace_id = OLD.workspace_id AND id = OLD.agent_id;
END;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Governance
-- ---------------------------------------------------------------------------------------------------------------------------

-- A blueprint: rules for agents. The default blueprint of a workspace has `default_slot` 1 and the others NULL, so that there is at
-- most one.
CREATE TABLE blueprints (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT,
  rules TEXT NOT NULL,
  default_slot INTEGER CHECK (default_slot = 1),
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key),
  UNIQUE (workspace_id, default_slot)
) STRICT;
-- The list of blueprints.
CREATE INDEX blueprints_by_time ON blueprints (workspace_id, created_at, id);
-- The default blueprint. The planner avoids the index of the unique key, because its column is NULL in all rows but one.
CREATE INDEX blueprints_default ON blueprints (workspace_id) WHERE default_slot = 1;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Tasks
-- ---------------------------------------------------------------------------------------------------------------------------

-- A task on the board. The id of an agent or parent stays when the agent or parent is deleted.
CREATE TABLE tasks (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  priority TEXT NOT NULL CHECK (priority IN ('urgent', 'high', 'medium', 'low')),
  status TEXT NOT NULL CHECK (status IN ('inbox', 'assigned', 'in_progress', 'review', 'blocked', 'done')),
  agent_id BLOB,
  parent_id BLOB,
  tags TEXT NOT NULL,
  due_at INTEGER,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  done_at INTEGER,
  PRIMARY KEY (workspace_id, id)
) STRICT;
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

-- A change of a task: who created, assigned or moved it.
CREATE TABLE task_history (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  task_id BLOB NOT NULL,
  event TEXT NOT NULL CHECK (event IN ('created', 'assigned', 'moved')),
  from_status TEXT,
  to_status TEXT NOT NULL,
  agent_id BLOB,
  note TEXT,
  actor_kind TEXT NOT NULL,
  actor_id BLOB NOT NULL,
  occurred_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
-- The history of a task, newest first.
CREATE INDEX task_history_by_task ON task_history (workspace_id, task_id, occurred_at, id);

-- ---------------------------------------------------------------------------------------------------------------------------
-- Missions
-- ---------------------------------------------------------------------------------------------------------------------------

-- A mission: a goal with a budget.
CREATE TABLE missions (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  goal TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('awaiting_approval', 'running', 'completed', 'failed', 'cancelled')),
  max_cost_microusd INTEGER,
  max_tokens INTEGER,
  alert_at_percent INTEGER NOT NULL,
  reason TEXT,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  caller TEXT,
  PRIMARY KEY (workspace_id, id)
) STRICT;
-- The list of missions.
CREATE INDEX missions_by_time ON missions (workspace_id, created_at, id);
-- The list of the missions in a state.
CREATE INDEX missions_by_state ON missions (workspace_id, state, created_at, id);

-- A task of a mission. `depends_on` is a JSON list of positions in the same mission.
CREATE TABLE mission_tasks (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  mission_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  agent_id BLOB,
  status TEXT NOT NULL CHECK (status IN ('open', 'in_progress', 'done', 'failed', 'cancelled')),
  depends_on TEXT NOT NULL,
  output TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, mission_id, position)
) STRICT;
-- The missions whose tasks an agent does.
CREATE INDEX mission_tasks_by_agent ON mission_tasks (workspace_id, agent_id);

-- A value of the field, which the agents of a mission share. `strength` is the strength at `reinforced_at`; it halves every 24
-- hours from then on. `tokens` are the words of key and value as the program normalised them.
CREATE TABLE field_entries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  mission_id BLOB NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  tokens TEXT NOT NULL,
  strength REAL NOT NULL,
  reinforced_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, mission_id, key)
) STRICT;
-- The strengths of all entries of a mission.
CREATE INDEX field_strengths ON field_entries (workspace_id, mission_id, id, strength, reinforced_at);

-- The entries that have any word of a search, inside one mission: its id is indexed as `scope`. The tokenizer splits at the spaces
-- between the words and changes nothing, because they are normalised already. Triggers keep the index.
CREATE VIRTUAL TABLE field_entries_text USING fts5 (scope, tokens, content='', contentless_delete=1, tokenize='ascii', detail='column');
CREATE TRIGGER field_entries_removed AFTER DELETE ON field_entries BEGIN
  DELETE FROM field_entries_text WHERE rowid = old.seq;
END;
CREATE TRIGGER field_entries_added AFTER INSERT ON field_entries BEGIN
  INSERT INTO field_entries_text (rowid, scope, tokens) VALUES (new.seq, lower(hex(new.mission_id)), new.tokens);
END;
CREATE TRIGGER field_entries_changed AFTER UPDATE OF tokens ON field_entries BEGIN
  DELETE FROM field_entries_text WHERE rowid = old.seq;
  INSERT INTO field_entries_text (rowid, scope, tokens) VALUES (new.seq, lower(hex(new.mission_id)), new.tokens);
END;

-- A write to the field. `changed`: the value was new, and not only reinforced.
CREATE TABLE field_writes (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  mission_id BLOB NOT NULL,
  entry_id BLOB NOT NULL,
  changed INTEGER NOT NULL,
  written_by BLOB,
  written_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
-- The last writes of a mission.
CREATE INDEX field_writes_by_time ON field_writes (workspace_id, mission_id, written_at, id);

-- ---------------------------------------------------------------------------------------------------------------------------
-- Playbooks
-- ---------------------------------------------------------------------------------------------------------------------------

-- A playbook with its schedule, if it has one.
CREATE TABLE playbooks (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
  cron TEXT,
  timezone TEXT,
  next_run_at INTEGER,
  max_retries INTEGER NOT NULL,
  step_timeout_s INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  caller TEXT,
  set_by BLOB,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key)
) STRICT;
-- The list of playbooks.
CREATE INDEX playbooks_by_time ON playbooks (workspace_id, created_at, id);
-- The playbooks that are due.
CREATE INDEX playbooks_due ON playbooks (next_run_at) WHERE next_run_at IS NOT NULL;
-- The list of the playbooks with a status.
CREATE INDEX playbooks_by_status ON playbooks (workspace_id, status, created_at, id);

-- A step of a playbook.
CREATE TABLE playbook_steps (
  workspace_id BLOB NOT NULL,
  playbook_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  prompt TEXT NOT NULL,
  agent_id BLOB,
  on_error TEXT NOT NULL CHECK (on_error IN ('stop', 'skip', 'retry')),
  output_key TEXT,
  PRIMARY KEY (workspace_id, playbook_id, position)
) STRICT;
-- The playbooks whose steps an agent does.
CREATE INDEX playbook_steps_by_agent ON playbook_steps (workspace_id, agent_id);

-- An execution of a playbook. It stays when its playbook is deleted. One that a runtime reports by itself has no playbook. `output`
-- is the result that the runtime reported.
CREATE TABLE executions (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  playbook_id BLOB,
  playbook_name TEXT,
  agent_id BLOB,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  input TEXT,
  error TEXT,
  requested_by_kind TEXT,
  requested_by BLOB,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  output TEXT,
  caller TEXT,
  PRIMARY KEY (workspace_id, id)
) STRICT;
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

-- A step of an execution: the playbook's step as it was when the execution was requested, and its outcome.
CREATE TABLE execution_steps (
  workspace_id BLOB NOT NULL,
  execution_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  prompt TEXT,
  agent_id BLOB,
  on_error TEXT,
  output_key TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'skipped')),
  output TEXT,
  error TEXT,
  started_at INTEGER,
  finished_at INTEGER,
  PRIMARY KEY (workspace_id, execution_id, position)
) STRICT;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Schedules
-- ---------------------------------------------------------------------------------------------------------------------------

-- Something that an agent is asked to do later, once or repeatedly. `due` is the RFC 3339 time or the cron expression as it was
-- given.
CREATE TABLE schedules (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('one_shot', 'recurring')),
  description TEXT NOT NULL,
  due TEXT NOT NULL,
  timezone TEXT NOT NULL,
  agent_id BLOB NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'completed', 'cancelled', 'failed')),
  max_runs INTEGER,
  runs INTEGER NOT NULL,
  next_at INTEGER,
  last_at INTEGER,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  caller TEXT,
  PRIMARY KEY (workspace_id, id)
) STRICT;
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

-- A report of an agent. It stays when the agent is deleted, so it has the agent's name beside its id.
CREATE TABLE reports (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  agent_id BLOB NOT NULL,
  agent_name TEXT NOT NULL,
  title TEXT NOT NULL,
  content TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'warning', 'critical', 'info')),
  summary TEXT,
  metrics TEXT,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
-- The latest report.
CREATE INDEX reports_by_time ON reports (workspace_id, created_at, id);
-- The latest report of an agent.
CREATE INDEX reports_by_agent ON reports (workspace_id, agent_id, created_at, id);

-- ---------------------------------------------------------------------------------------------------------------------------
-- Memory
-- ---------------------------------------------------------------------------------------------------------------------------

-- A memory of an agent. `agent_id` is the nil UUID for what the whole workspace shares, because NULL values of a unique key are
-- distinct. `tokens` are the words of the content as the program normalised them. `bytes` is a column and no expression of an
-- index, because PostgreSQL reads the table for those.
CREATE TABLE memories (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  agent_id BLOB NOT NULL,
  kind TEXT NOT NULL DEFAULT 'note',
  content TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  tokens TEXT NOT NULL,
  tags TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  bytes INTEGER GENERATED ALWAYS AS (octet_length(content)) VIRTUAL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, agent_id, content_hash)
) STRICT;
-- The list of memories.
CREATE INDEX memories_by_time ON memories (workspace_id, created_at, id);
-- The number and size of memories by agent and kind.
CREATE INDEX memories_by_agent ON memories (workspace_id, agent_id, kind, bytes, created_at);
-- The list of the memories of an agent.
CREATE INDEX memories_by_agent_and_time ON memories (workspace_id, agent_id, created_at, id);

-- The memories that have any word of a search, inside one workspace: its id is indexed as `scope`. See `field_entries_text`.
CREATE VIRTUAL TABLE memories_text USING fts5 (scope, tokens, content='', contentless_delete=1, tokenize='ascii', detail='column');
CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
  INSERT INTO memories_text (rowid, scope, tokens) VALUES (new.seq, lower(hex(new.workspace_id)), new.tokens);
END;
CREATE TRIGGER memories_removed AFTER DELETE ON memories BEGIN
  DELETE FROM memories_text WHERE rowid = old.seq;
END;

-- A tag of a memory, in the order of the list of memories, so that a page of a rare tag does not read all memories. Triggers keep
-- the rows, so that they are right whatever inserts memories.
CREATE TABLE memory_tags (
  workspace_id BLOB NOT NULL,
  tag TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  memory_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, tag, created_at, memory_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER memory_tags_added AFTER INSERT ON memories WHEN new.tags <> '[]' BEGIN
  INSERT INTO memory_tags SELECT DISTINCT new.workspace_id, value, new.created_at, new.id FROM json_each(new.tags);
END;
CREATE TRIGGER memory_tags_removed AFTER DELETE ON memories WHEN old.tags <> '[]' BEGIN
  DELETE FROM memory_tags WHERE workspace_id = old.workspace_id AND created_at = old.created_at AND memory_id = old.id
    AND tag IN (SELECT value FROM json_each(old.tags));
END;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Documents
-- ---------------------------------------------------------------------------------------------------------------------------

-- A document. Titles are not unique.
CREATE TABLE documents (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,
  content TEXT NOT NULL,
  source_url TEXT,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('processing', 'indexed', 'failed')),
  error TEXT,
  bytes INTEGER NOT NULL,
  passages INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
-- The list of documents.
CREATE INDEX documents_by_time ON documents (workspace_id, created_at, id);
-- The newest documents with a title.
CREATE INDEX documents_by_title ON documents (workspace_id, title_key, created_at, id);
-- The list of the documents with a status.
CREATE INDEX documents_by_status ON documents (workspace_id, status, created_at, id);

-- A passage of a document. `tokens` are its words as the program normalised them.
CREATE TABLE chunks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  document_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  content TEXT NOT NULL,
  tokens TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, document_id, position)
) STRICT;

-- The passages that have any word of a search, inside one workspace, as for memories.
CREATE VIRTUAL TABLE chunks_text USING fts5 (scope, tokens, content='', contentless_delete=1, tokenize='ascii', detail='column');
CREATE TRIGGER chunks_added AFTER INSERT ON chunks BEGIN
  INSERT INTO chunks_text (rowid, scope, tokens) VALUES (new.seq, lower(hex(new.workspace_id)), new.tokens);
END;
CREATE TRIGGER chunks_removed AFTER DELETE ON chunks BEGIN
  DELETE FROM chunks_text WHERE rowid = old.seq;
END;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Messages
-- ---------------------------------------------------------------------------------------------------------------------------

-- A message of a chat, as a chat backend reported it. A chat belongs to the users that any of its messages names. `tokens` are the
-- words of the text as the program normalised them.
CREATE TABLE messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  occurred_at INTEGER NOT NULL,
  chat_id TEXT NOT NULL,
  user_id BLOB,
  agent_id BLOB,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
  text TEXT NOT NULL,
  tokens TEXT NOT NULL,
  UNIQUE (workspace_id, id)
) STRICT;
-- The messages of a chat.
CREATE INDEX messages_by_chat ON messages (workspace_id, chat_id, occurred_at, id);
-- The chats of a user.
CREATE INDEX messages_by_user ON messages (workspace_id, user_id, chat_id);
-- The newest messages, the number of their chats, and the newest candidates of a search for a frequent word.
CREATE INDEX messages_by_time ON messages (workspace_id, occurred_at, id, chat_id);

-- The messages that have any word of a search, inside one workspace, as for memories.
CREATE VIRTUAL TABLE messages_text USING fts5 (scope, tokens, content='', contentless_delete=1, tokenize='ascii', detail='column');
CREATE TRIGGER messages_added AFTER INSERT ON messages BEGIN
  INSERT INTO messages_text (rowid, scope, tokens) VALUES (new.seq, lower(hex(new.workspace_id)), new.tokens);
END;
CREATE TRIGGER messages_removed AFTER DELETE ON messages BEGIN
  DELETE FROM messages_text WHERE rowid = old.seq;
END;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Declared tools
-- ---------------------------------------------------------------------------------------------------------------------------

-- A toolset: a document of declared tools. A row without a document is for a toolset of the operator and has only the workspace's
-- switch and disabled tools. `disabled_tools` is a JSON list of names. Slugs are compared byte by byte, because lists of tools
-- follow their order.
CREATE TABLE toolsets (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  slug TEXT NOT NULL,
  version INTEGER NOT NULL,
  document TEXT,
  digest TEXT,
  enabled INTEGER NOT NULL,
  disabled_tools TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by BLOB,
  PRIMARY KEY (workspace_id, slug)
) STRICT;

-- What a workspace changed of a pack. `version` is incremented by each change, `settings` is JSON or absent for the defaults.
-- Whether the pack is on is in `workspaces.packs`.
CREATE TABLE pack_settings (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  slug TEXT NOT NULL,
  version INTEGER NOT NULL,
  settings TEXT,
  updated_at INTEGER NOT NULL,
  updated_by BLOB,
  PRIMARY KEY (workspace_id, slug)
) STRICT;

-- A service that declared tools call, or that has language models. `auth_kind` is `none`, `bearer`, `header` or `basic`;
-- `auth_name` is the header's name; `auth_owner` says whose secret is sent: the workspace's or the acting user's. `models` is a
-- JSON array of the models that people may choose, and NULL where the kind is `http` or `mcp`.
CREATE TABLE upstreams (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  base_url TEXT NOT NULL,
  auth_kind TEXT NOT NULL,
  auth_name TEXT,
  auth_owner TEXT NOT NULL,
  models TEXT,
  context_tokens INTEGER,
  version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by BLOB,
  PRIMARY KEY (workspace_id, name)
) STRICT;

-- An encrypted secret of an upstream: the workspace's, without a user, or a user's. `upstream` is the name of an upstream of the
-- workspace, or `<slug>.<name>` of one that an operator's toolset declares.
CREATE TABLE upstream_secrets (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  upstream TEXT NOT NULL,
  user_id BLOB,
  sealed TEXT NOT NULL,
  set_by BLOB,
  set_at INTEGER NOT NULL
) STRICT;
-- The workspace's secret of an upstream, and a user's. They are indexes and no key, because the user may be NULL.
CREATE UNIQUE INDEX upstream_secrets_of_workspace ON upstream_secrets (workspace_id, upstream) WHERE user_id IS NULL;
CREATE UNIQUE INDEX upstream_secrets_of_users ON upstream_secrets (workspace_id, upstream, user_id)
  WHERE user_id IS NOT NULL;
-- The secrets of a user, which are deleted when the member leaves.
CREATE INDEX upstream_secrets_by_user ON upstream_secrets (workspace_id, user_id) WHERE user_id IS NOT NULL;

-- A definition of a tool that an MCP server listed, as it gave it. `upstream` is the upstream as in `upstream_secrets`. `digest`
-- covers name, text and schemas, `schema_digest` the schemas alone. At most one definition of a tool is the current one; if none
-- is, the server does not list the tool. `seen_at` is when the definition last became the current one. A row without a tool stands
-- for a server that was asked and has no other row.
CREATE TABLE upstream_tools (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  upstream TEXT NOT NULL,
  tool TEXT NOT NULL,
  digest TEXT NOT NULL,
  schema_digest TEXT NOT NULL,
  definition TEXT NOT NULL,
  is_current INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, upstream, tool, digest)
) STRICT;
-- The current definition of a tool: at most one.
CREATE UNIQUE INDEX upstream_tools_current ON upstream_tools (workspace_id, upstream, tool) WHERE is_current = 1;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Datasources
-- ---------------------------------------------------------------------------------------------------------------------------

-- A database that an admin of the workspace registered. `config_encrypted` is the connection string, which is stored only
-- encrypted.
CREATE TABLE datasources (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('postgres', 'sqlite')),
  config_encrypted TEXT NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key)
) STRICT;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Reported records
-- ---------------------------------------------------------------------------------------------------------------------------

-- A call of a model, as a runtime reported it. The reporter assigns the id, so that reporting a record again changes nothing.
CREATE TABLE llm_usage (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  occurred_at INTEGER NOT NULL,
  agent_id BLOB,
  execution_id BLOB,
  mission_id BLOB,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_microusd INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
-- Statistics on both ends of a period, where totals have no whole quarter of an hour or day. They read no table.
CREATE INDEX llm_usage_by_time ON llm_usage
  (workspace_id, occurred_at, agent_id, model, provider, cost_microusd, input_tokens, output_tokens);
-- The cost of an agent since a time.
CREATE INDEX llm_usage_by_agent ON llm_usage (workspace_id, agent_id, occurred_at, cost_microusd);
-- The cost of an execution.
CREATE INDEX llm_usage_by_execution ON llm_usage (workspace_id, execution_id, cost_microusd);
-- Cost and tokens of a mission.
CREATE INDEX llm_usage_by_mission ON llm_usage (workspace_id, mission_id, cost_microusd, input_tokens, output_tokens);

-- The totals of a model in a quarter of an hour, and those of an agent on a day, so that a statistic over a period reads single
-- calls only at both ends of it. A quarter of an hour is the smallest offset of a time zone. A call without an agent has the nil
-- UUID. A trigger keeps the rows, so that they are right whatever inserts calls.
CREATE TABLE llm_usage_quarters (
  workspace_id BLOB NOT NULL,
  quarter INTEGER NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  calls INTEGER NOT NULL,
  cost_microusd INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, quarter, model, provider)
) STRICT, WITHOUT ROWID;
CREATE TABLE llm_usage_days (
  workspace_id BLOB NOT NULL,
  day INTEGER NOT NULL,
  agent_id BLOB NOT NULL,
  calls INTEGER NOT NULL,
  cost_microusd INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, day, agent_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER llm_usage_added AFTER INSERT ON llm_usage BEGIN
  INSERT INTO llm_usage_quarters VALUES (NEW.workspace_id, NEW.occurred_at / 900000000, NEW.model, NEW.provider, 1,
      NEW.cost_microusd, NEW.input_tokens, NEW.output_tokens)
    ON CONFLICT (workspace_id, quarter, model, provider) DO UPDATE SET calls = calls + excluded.calls,
      cost_microusd = cost_microusd + excluded.cost_microusd, input_tokens = input_tokens + excluded.input_tokens,
      output_tokens = output_tokens + excluded.output_tokens;
  INSERT INTO llm_usage_days VALUES (NEW.workspace_id, NEW.occurred_at / 86400000000,
      coalesce(NEW.agent_id, x'00000000000000000000000000000000'), 1, NEW.cost_microusd, NEW.input_tokens, NEW.output_tokens)
    ON CONFLICT (workspace_id, day, agent_id) DO UPDATE SET calls = calls + excluded.calls,
      cost_microusd = cost_microusd + excluded.cost_microusd, input_tokens = input_tokens + excluded.input_tokens,
      output_tokens = output_tokens + excluded.output_tokens;
END;

-- A heartbeat that took place, as a runtime reported it. The reporter assigns the id.
CREATE TABLE heartbeat_runs (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  occurred_at INTEGER NOT NULL,
  agent_id BLOB NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'acted', 'failed')),
  note TEXT,
  PRIMARY KEY (workspace_id, id)
) STRICT;

-- The id of a reported record that changed a row of another table, so that reporting it again changes nothing.
CREATE TABLE record_ids (
  workspace_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  id BLOB NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, kind, id)
) STRICT;

-- ---------------------------------------------------------------------------------------------------------------------------
-- Assistant
-- ---------------------------------------------------------------------------------------------------------------------------

-- A run of the assistant: what follows one message, until an answer. `owner_id` is the person, or the key that acts for none.
-- `caller` is the stored caller. `model` is the name at its service, and `upstream` the service's, or NULL for the operator's.
-- `preface` stands before the words of the message. `history_from` is the first run of the thread that the model is shown.
-- `fence` grows with each process that takes the run; a process holds it until `lease_until`.
CREATE TABLE assistant_runs (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  owner_id BLOB NOT NULL,
  user_id BLOB,
  kind TEXT NOT NULL CHECK (kind IN ('chat', 'heartbeat', 'schedule', 'playbook', 'mission')),
  ref_id BLOB,
  position INTEGER,
  thread TEXT NOT NULL,
  message_id TEXT,
  agent_id BLOB,
  caller TEXT NOT NULL,
  model TEXT NOT NULL,
  upstream TEXT,
  message TEXT NOT NULL,
  preface TEXT,
  history_from BLOB,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'waiting', 'completed', 'failed', 'stopped')),
  stop INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  lease_until INTEGER,
  lost INTEGER NOT NULL,
  deadline INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_microusd INTEGER NOT NULL,
  cost_known INTEGER NOT NULL,
  error_code TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (workspace_id, id)
) STRICT;
-- A thread has one open run.
CREATE UNIQUE INDEX assistant_runs_open ON assistant_runs (workspace_id, owner_id, thread)
  WHERE state IN ('queued', 'running', 'waiting');
-- The runs of a thread, and the threads of a person.
CREATE INDEX assistant_runs_by_thread ON assistant_runs (workspace_id, owner_id, thread, created_at, id);
-- The list of runs, and the runs and tokens of a day.
CREATE INDEX assistant_runs_by_time ON assistant_runs (workspace_id, created_at, id);
-- What a worker looks at: runs that nobody holds, that may have lost their process, or that wait.
CREATE INDEX assistant_runs_unended ON assistant_runs (state, created_at) WHERE state IN ('queued', 'running', 'waiting');

-- A step of a run: what the model said. `provider_message` is its message as the service gave it, in `format`. `prefix` is a
-- digest of what the model was told before it. `output_tokens` and the other numbers are of this request.
CREATE TABLE assistant_steps (
  workspace_id BLOB NOT NULL,
  run_id BLOB NOT NULL,
  step INTEGER NOT NULL,
  text TEXT NOT NULL,
  reasoning TEXT NOT NULL,
  provider_message TEXT NOT NULL,
  format TEXT NOT NULL,
  model TEXT NOT NULL,
  prefix TEXT NOT NULL,
  finish TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  estimated INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, run_id, step)
) STRICT;

-- A call that the model asked for in a step. `provider_id` is the service's id of it, `name` what the
-- model called, and `action` what that is. `answer` is what the model reads.
CREATE TABLE assistant_calls (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  run_id BLOB NOT NULL,
  step INTEGER NOT NULL,
  position INTEGER NOT NULL,
  provider_id TEXT NOT NULL,
  name TEXT NOT NULL,
  arguments TEXT NOT NULL,
  action TEXT,
  state TEXT NOT NULL CHECK (state IN ('planned', 'waiting', 'answered')),
  confirmation_id BLOB,
  call_id BLOB,
  answer TEXT,
  is_error INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, run_id, step, position)
) STRICT;
-- The calls that wait for a confirmation.
CREATE INDEX assistant_calls_waiting ON assistant_calls (workspace_id, confirmation_id) WHERE state = 'waiting';

-- ---------------------------------------------------------------------------------------------------------------------------
-- Alerts
-- ---------------------------------------------------------------------------------------------------------------------------

-- An alert that an Alertmanager delivered. `workspace_id` is the nil UUID for an alert without the label of a workspace.
CREATE TABLE alerts (
  workspace_id BLOB NOT NULL,
  fingerprint TEXT NOT NULL,
  starts_at INTEGER NOT NULL,
  ended_at INTEGER,
  name TEXT NOT NULL,
  severity TEXT,
  subject TEXT NOT NULL,
  summary TEXT NOT NULL,
  labels TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, fingerprint, starts_at)
) STRICT;
-- The alerts of a workspace that were received since a time, and the old ones, which the next delivery deletes.
CREATE INDEX alerts_by_time ON alerts (workspace_id, received_at);
