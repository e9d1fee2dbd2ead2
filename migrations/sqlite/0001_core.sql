-- Tenants, people, credentials. Ids are UUIDs, times are microseconds since 1970, JSON is text.
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
  deleted_at INTEGER
) STRICT;

CREATE TABLE users (
  id BLOB NOT NULL PRIMARY KEY,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  display_name TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (issuer, subject)
) STRICT;

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
CREATE INDEX members_by_user ON members (user_id);

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
  PRIMARY KEY (workspace_id, id)
) STRICT;

CREATE TABLE operator_keys (
  id BLOB NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  secret_hash BLOB NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;
