-- What is to be done later. `due` is the RFC 3339 time or the cron expression as it was given.
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
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX schedules_by_time ON schedules (workspace_id, created_at, id);
CREATE INDEX schedules_by_due ON schedules (next_at);
SELECT guard_tenant('schedules', 'SELECT, INSERT, UPDATE, DELETE');
-- Workers look for what is due across tenants.
GRANT SELECT, UPDATE ON schedules TO toolcrib_worker;
CREATE POLICY workers ON schedules TO toolcrib_worker USING (true) WITH CHECK (true);
