-- Blueprints: rules for agents. The default one has `default_slot` 1 and the others null, so that there is one.
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
CREATE INDEX blueprints_by_time ON blueprints (workspace_id, created_at, id);
