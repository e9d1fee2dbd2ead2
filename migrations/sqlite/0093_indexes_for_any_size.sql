-- Indexes that have every column of a query, so that a page reads its rows only and a statistic reads no table. Those that replace
-- an index of the same name begin with its columns.
DROP INDEX events_by_time;
CREATE INDEX events_by_time ON events (workspace_id, occurred_at, id, kind, name, permission);
-- What the activity feed shows of the audit log: writes that succeeded, and refusals. Reads are most of the log.
CREATE INDEX action_log_activity ON action_log (workspace_id, occurred_at, id, action, decision, user_id, kind, outcome, permission_level)
  WHERE kind = 'call' AND ((outcome = 'succeeded' AND permission_level <> 'read') OR decision = 'denied');
DROP INDEX messages_by_time;
CREATE INDEX messages_by_time ON messages (workspace_id, occurred_at, id, chat_id);

-- The board. The index by parent has the order of subtasks to its end.
DROP INDEX tasks_by_parent;
CREATE INDEX tasks_by_parent ON tasks (workspace_id, parent_id, created_at, id);
CREATE INDEX tasks_by_status ON tasks (workspace_id, status, priority);
CREATE INDEX tasks_overdue ON tasks (workspace_id, due_at, status) WHERE status <> 'done' AND due_at IS NOT NULL;
CREATE INDEX tasks_open ON tasks (workspace_id, agent_id, status) WHERE status <> 'done' AND agent_id IS NOT NULL;
CREATE INDEX tasks_blocked ON tasks (workspace_id, updated_at, id) WHERE status = 'blocked';

CREATE INDEX agents_by_model ON agents (workspace_id, model, status);
-- What the rules of a blueprint ask of an agent. The last column is whether the prompt is more than white space.
CREATE INDEX agents_by_facts ON agents (workspace_id, model, tags, tool_count,
  coalesce(trim(system_prompt, char(9, 10, 11, 12, 13, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197,
    8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288)), '') <> '');
CREATE INDEX memories_by_agent ON memories (workspace_id, agent_id, kind, octet_length(content), created_at);
CREATE INDEX field_strengths ON field_entries (workspace_id, mission_id, id, strength, reinforced_at);

CREATE INDEX executions_of_playbooks ON executions (workspace_id, playbook_id, status);
-- Model calls and executions in a period.
DROP INDEX llm_usage_by_time;
CREATE INDEX llm_usage_by_time ON llm_usage
  (workspace_id, occurred_at, agent_id, model, provider, cost_microusd, input_tokens, output_tokens);
DROP INDEX llm_usage_by_agent;
CREATE INDEX llm_usage_by_agent ON llm_usage (workspace_id, agent_id, occurred_at, cost_microusd);
DROP INDEX llm_usage_by_execution;
CREATE INDEX llm_usage_by_execution ON llm_usage (workspace_id, execution_id, cost_microusd);
DROP INDEX llm_usage_by_mission;
CREATE INDEX llm_usage_by_mission ON llm_usage (workspace_id, mission_id, cost_microusd, input_tokens, output_tokens);
DROP INDEX executions_by_end;
CREATE INDEX executions_by_end ON executions
  (workspace_id, finished_at, status, started_at, agent_id, playbook_id, playbook_name, created_at, id);
