-- Playbooks with their steps and schedule, and their executions. An execution keeps the steps as they were when it
-- was asked for, and stays when its playbook goes; one that a runtime reports by itself has no playbook.
CREATE TABLE playbooks (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
  cron TEXT,
  timezone TEXT,
  next_run_at INTEGER,
  max_retries INTEGER NOT NULL,
  step_timeout_s INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key)
) STRICT;
CREATE INDEX playbooks_by_time ON playbooks (workspace_id, created_at, id);
CREATE INDEX playbooks_due ON playbooks (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE TABLE playbook_steps (
  workspace_id BLOB NOT NULL,
  playbook_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  prompt TEXT NOT NULL,
  agent_id BLOB,
  on_error TEXT NOT NULL CHECK (on_error IN ('stop', 'skip', 'retry')),
  output_key TEXT,
  PRIMARY KEY (workspace_id, playbook_id, position)
) STRICT;
CREATE TABLE executions (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  playbook_id BLOB,
  playbook_name TEXT,
  agent_id BLOB,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  input TEXT,
  error TEXT,
  requested_by_kind TEXT,
  requested_by BLOB,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE INDEX executions_by_time ON executions (workspace_id, created_at, id);
CREATE INDEX executions_by_playbook ON executions (workspace_id, playbook_id, created_at, id);
CREATE INDEX executions_by_status ON executions (workspace_id, status, created_at);
CREATE INDEX executions_by_end ON executions (workspace_id, finished_at);
CREATE TABLE execution_steps (
  workspace_id BLOB NOT NULL,
  execution_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  prompt TEXT,
  agent_id BLOB,
  on_error TEXT,
  output_key TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'skipped')),
  output TEXT,
  error TEXT,
  started_at INTEGER,
  finished_at INTEGER,
  PRIMARY KEY (workspace_id, execution_id, position)
) STRICT;
