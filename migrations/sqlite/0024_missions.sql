-- Missions and their tasks. `depends_on` is a JSON list of positions in the same mission.
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
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE INDEX missions_by_time ON missions (workspace_id, created_at, id);
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
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, mission_id, position)
) STRICT;
