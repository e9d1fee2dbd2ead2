-- A page of the tasks with one priority, newest first.
CREATE INDEX tasks_by_priority ON tasks (workspace_id, priority, created_at, id);
