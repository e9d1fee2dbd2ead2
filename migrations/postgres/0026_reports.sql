-- What agents report. The agent's name is kept beside its id: reports outlive their agent.
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
CREATE INDEX reports_by_time ON reports (workspace_id, created_at, id);
SELECT guard_tenant('reports', 'SELECT, INSERT');
