-- What runtimes report. Each record brings its own id, so that sending it again changes nothing; `record_ids` keeps
-- the ids of those that change a row of another table.
CREATE TABLE llm_usage (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  occurred_at INTEGER NOT NULL,
  agent_id BLOB,
  execution_id BLOB,
  mission_id BLOB,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_microusd INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE INDEX llm_usage_by_time ON llm_usage (workspace_id, occurred_at);
CREATE INDEX llm_usage_by_mission ON llm_usage (workspace_id, mission_id);
CREATE TABLE heartbeat_runs (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  occurred_at INTEGER NOT NULL,
  agent_id BLOB NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('ok', 'acted', 'failed')),
  note TEXT,
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE INDEX heartbeat_runs_by_time ON heartbeat_runs (workspace_id, occurred_at);
CREATE TABLE record_ids (
  workspace_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  id BLOB NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, kind, id)
) STRICT;
