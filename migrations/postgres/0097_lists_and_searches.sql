-- Lists with a condition that few rows meet: each index has the order of its list.
CREATE INDEX agents_by_status ON agents (workspace_id, status, created_at, id);
CREATE INDEX missions_by_state ON missions (workspace_id, state, created_at, id);
CREATE INDEX playbooks_by_status ON playbooks (workspace_id, status, created_at, id);
CREATE INDEX documents_by_status ON documents (workspace_id, status, created_at, id);
CREATE INDEX schedules_by_status ON schedules (workspace_id, status, created_at, id);
CREATE INDEX tasks_by_status_and_time ON tasks (workspace_id, status, created_at, id);
DROP INDEX tasks_by_agent;
CREATE INDEX tasks_by_agent ON tasks (workspace_id, agent_id, created_at, id);
CREATE INDEX memories_by_agent_and_time ON memories (workspace_id, agent_id, created_at, id);
CREATE INDEX reports_by_agent ON reports (workspace_id, agent_id, created_at, id);
