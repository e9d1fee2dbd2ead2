-- What writes look up, so that a write takes as long in a large workspace as in a small one.
DROP INDEX documents_by_title;
CREATE INDEX documents_by_title ON documents (workspace_id, title_key, created_at, id);
CREATE INDEX schedules_by_agent ON schedules (workspace_id, agent_id, status);
CREATE INDEX schedules_active ON schedules (workspace_id, kind) WHERE status = 'active';
CREATE INDEX keys_by_agent ON keys (workspace_id, agent_id) WHERE revoked_at IS NULL;
-- The column is NULL in all rows but one, so that the planner thinks little of the index that makes it unique.
CREATE INDEX blueprints_default ON blueprints (workspace_id) WHERE default_slot = 1;
