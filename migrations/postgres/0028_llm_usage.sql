-- What runtimes report. Each record brings its own id, so that sending it again changes nothing; `record_ids` keeps
-- the ids of those that change a row of another table.
CREATE TABLE llm_usage (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  occurred_at BIGINT NOT NULL,
  agent_id UUID,
  execution_id UUID,
  mission_id UUID,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cost_microusd BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX llm_usage_by_time ON llm_usage (workspace_id, occurred_at);
CREATE INDEX llm_usage_by_mission ON llm_usage (workspace_id, mission_id);
SELECT guard_tenant('llm_usage', 'SELECT, INSERT');
CREATE TABLE heartbeat_runs (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  occurred_at BIGINT NOT NULL,
  agent_id UUID NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'acted', 'failed')),
  note TEXT,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX heartbeat_runs_by_time ON heartbeat_runs (workspace_id, occurred_at);
SELECT guard_tenant('heartbeat_runs', 'SELECT, INSERT');
CREATE TABLE record_ids (
  workspace_id UUID NOT NULL,
  kind TEXT NOT NULL,
  id UUID NOT NULL,
  recorded_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, kind, id)
);
SELECT guard_tenant('record_ids', 'SELECT, INSERT');
