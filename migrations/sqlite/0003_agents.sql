-- Agents. `name_key` is the name in lower case: names are unique without regard to case.
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
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key),
  UNIQUE (workspace_id, slug)
) STRICT;
CREATE INDEX agents_by_time ON agents (workspace_id, created_at, id);
