-- Indexes that every write of these tables pays for. Most tasks have no parent, and many no agent.
DROP INDEX tasks_by_parent;
CREATE INDEX tasks_by_parent ON tasks (workspace_id, parent_id, created_at, id) WHERE parent_id IS NOT NULL;
DROP INDEX tasks_by_agent;
CREATE INDEX tasks_by_agent ON tasks (workspace_id, agent_id, created_at, id) WHERE agent_id IS NOT NULL;
-- The runs of a playbook, with the status that they are counted by: one index instead of two.
DROP INDEX executions_of_playbooks;
DROP INDEX executions_by_playbook;
CREATE INDEX executions_by_playbook ON executions (workspace_id, playbook_id, created_at, id, status);
