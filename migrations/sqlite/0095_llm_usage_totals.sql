-- Totals of model calls, so that a statistic over a period reads a row for each quarter of an hour and model, or for each day and
-- agent, and single calls only at both ends of the period. A call without an agent has the nil id.
CREATE TABLE llm_usage_quarters (
  workspace_id BLOB NOT NULL,
  quarter INTEGER NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  calls INTEGER NOT NULL,
  cost_microusd INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, quarter, model, provider)
) STRICT, WITHOUT ROWID;
CREATE TABLE llm_usage_days (
  workspace_id BLOB NOT NULL,
  day INTEGER NOT NULL,
  agent_id BLOB NOT NULL,
  calls INTEGER NOT NULL,
  cost_microusd INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, day, agent_id)
) STRICT, WITHOUT ROWID;
INSERT INTO llm_usage_quarters
  SELECT workspace_id, occurred_at / 900000000, model, provider, COUNT(*), SUM(cost_microusd), SUM(input_tokens), SUM(output_tokens)
    FROM llm_usage GROUP BY 1, 2, 3, 4;
INSERT INTO llm_usage_days
  SELECT workspace_id, occurred_at / 86400000000, coalesce(agent_id, x'00000000000000000000000000000000'), COUNT(*),
    SUM(cost_microusd), SUM(input_tokens), SUM(output_tokens)
    FROM llm_usage GROUP BY 1, 2, 3;

CREATE TRIGGER llm_usage_added AFTER INSERT ON llm_usage BEGIN
  INSERT INTO llm_usage_quarters VALUES (NEW.workspace_id, NEW.occurred_at / 900000000, NEW.model, NEW.provider, 1,
      NEW.cost_microusd, NEW.input_tokens, NEW.output_tokens)
    ON CONFLICT (workspace_id, quarter, model, provider) DO UPDATE SET calls = calls + excluded.calls,
      cost_microusd = cost_microusd + excluded.cost_microusd, input_tokens = input_tokens + excluded.input_tokens,
      output_tokens = output_tokens + excluded.output_tokens;
  INSERT INTO llm_usage_days VALUES (NEW.workspace_id, NEW.occurred_at / 86400000000,
      coalesce(NEW.agent_id, x'00000000000000000000000000000000'), 1, NEW.cost_microusd, NEW.input_tokens, NEW.output_tokens)
    ON CONFLICT (workspace_id, day, agent_id) DO UPDATE SET calls = calls + excluded.calls,
      cost_microusd = cost_microusd + excluded.cost_microusd, input_tokens = input_tokens + excluded.input_tokens,
      output_tokens = output_tokens + excluded.output_tokens;
END;
