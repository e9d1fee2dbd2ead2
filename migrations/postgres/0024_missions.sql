-- Missions and their tasks. `depends_on` is a JSON list of positions in the same mission.
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
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX missions_by_time ON missions (workspace_id, created_at, id);
SELECT guard_tenant('missions', 'SELECT, INSERT, UPDATE, DELETE');
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
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, mission_id, position)
);
SELECT guard_tenant('mission_tasks', 'SELECT, INSERT, UPDATE, DELETE');
