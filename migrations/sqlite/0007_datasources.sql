-- Databases that a workspace's admin registered. `config_encrypted` holds the connection string, never in the clear;
-- `name_key` is the name in lower case.
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
