-- What is to be done later. `due` is the RFC 3339 time or the cron expression as it was given.
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
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE INDEX schedules_by_time ON schedules (workspace_id, created_at, id);
CREATE INDEX schedules_by_due ON schedules (next_at);
