-- Tasks on the board, and what became of each. An agent or parent that is gone leaves its id behind.
CREATE TABLE tasks (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  priority TEXT NOT NULL CHECK (priority IN ('urgent', 'high', 'medium', 'low')),
  status TEXT NOT NULL CHECK (status IN ('inbox', 'assigned', 'in_progress', 'review', 'blocked', 'done')),
  agent_id UUID,
  parent_id UUID,
  tags TEXT NOT NULL,
  due_at BIGINT,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  done_at BIGINT,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX tasks_by_time ON tasks (workspace_id, created_at, id);
CREATE INDEX tasks_by_parent ON tasks (workspace_id, parent_id, created_at);
CREATE INDEX tasks_by_agent ON tasks (workspace_id, agent_id);
CREATE TABLE task_history (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  task_id UUID NOT NULL,
  event TEXT NOT NULL CHECK (event IN ('created', 'assigned', 'moved')),
  from_status TEXT,
  to_status TEXT NOT NULL,
  agent_id UUID,
  note TEXT,
  actor_kind TEXT NOT NULL,
  actor_id UUID NOT NULL,
  occurred_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX task_history_by_task ON task_history (workspace_id, task_id, occurred_at, id);
CREATE INDEX task_history_by_time ON task_history (workspace_id, occurred_at, id);
SELECT guard_tenant('tasks', 'SELECT, INSERT, UPDATE, DELETE');
SELECT guard_tenant('task_history', 'SELECT, INSERT');
