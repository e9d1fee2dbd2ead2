-- Tasks on the board, and what became of each. An agent or parent that is gone leaves its id behind.
CREATE TABLE tasks (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  priority TEXT NOT NULL CHECK (priority IN ('urgent', 'high', 'medium', 'low')),
  status TEXT NOT NULL CHECK (status IN ('inbox', 'assigned', 'in_progress', 'review', 'blocked', 'done')),
  agent_id BLOB,
  parent_id BLOB,
  tags TEXT NOT NULL,
  due_at INTEGER,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  done_at INTEGER,
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE INDEX tasks_by_time ON tasks (workspace_id, created_at, id);
CREATE INDEX tasks_by_parent ON tasks (workspace_id, parent_id, created_at);
CREATE INDEX tasks_by_agent ON tasks (workspace_id, agent_id);
CREATE TABLE task_history (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  task_id BLOB NOT NULL,
  event TEXT NOT NULL CHECK (event IN ('created', 'assigned', 'moved')),
  from_status TEXT,
  to_status TEXT NOT NULL,
  agent_id BLOB,
  note TEXT,
  actor_kind TEXT NOT NULL,
  actor_id BLOB NOT NULL,
  occurred_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE INDEX task_history_by_task ON task_history (workspace_id, task_id, occurred_at, id);
CREATE INDEX task_history_by_time ON task_history (workspace_id, occurred_at, id);
