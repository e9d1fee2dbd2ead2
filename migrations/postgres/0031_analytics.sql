-- What analytics ask by: an agent's own calls and runs, the calls of a run, the days of the activity feed.
CREATE INDEX llm_usage_by_agent ON llm_usage (workspace_id, agent_id, occurred_at);
CREATE INDEX llm_usage_by_execution ON llm_usage (workspace_id, execution_id);
CREATE INDEX executions_by_agent ON executions (workspace_id, agent_id, finished_at);
CREATE INDEX executions_by_start ON executions (workspace_id, started_at);
CREATE INDEX events_by_time ON events (workspace_id, occurred_at, id);
