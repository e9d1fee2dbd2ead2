-- Totals of model calls, so that a statistic over a period reads a row for each quarter of an hour and model, or for each day and
-- agent, and single calls only at both ends of the period. A call without an agent has the nil id.
CREATE TABLE llm_usage_quarters (
  workspace_id UUID NOT NULL,
  quarter BIGINT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  calls BIGINT NOT NULL,
  cost_microusd BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, quarter, model, provider)
) WITH (fillfactor = 70);
CREATE TABLE llm_usage_days (
  workspace_id UUID NOT NULL,
  day BIGINT NOT NULL,
  agent_id UUID NOT NULL,
  calls BIGINT NOT NULL,
  cost_microusd BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, day, agent_id)
) WITH (fillfactor = 70);

-- The policies bind whoever owns the table too: they are off while its rows are added up.
ALTER TABLE llm_usage NO FORCE ROW LEVEL SECURITY;
INSERT INTO llm_usage_quarters
  SELECT workspace_id, occurred_at / 900000000, model, provider, COUNT(*), SUM(cost_microusd), SUM(input_tokens), SUM(output_tokens)
    FROM llm_usage GROUP BY 1, 2, 3, 4;
INSERT INTO llm_usage_days
  SELECT workspace_id, occurred_at / 86400000000, coalesce(agent_id, '00000000-0000-0000-0000-000000000000'), COUNT(*),
    SUM(cost_microusd), SUM(input_tokens), SUM(output_tokens)
    FROM llm_usage GROUP BY 1, 2, 3;
ALTER TABLE llm_usage FORCE ROW LEVEL SECURITY;
SELECT guard_tenant('llm_usage_quarters', 'SELECT, INSERT, UPDATE');
SELECT guard_tenant('llm_usage_days', 'SELECT, INSERT, UPDATE');

-- Once a statement. The rows of a table are locked in the order of its key, so that two statements do not deadlock.
CREATE FUNCTION add_llm_usage() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO llm_usage_quarters AS kept
    SELECT workspace_id, occurred_at / 900000000, model, provider, COUNT(*), SUM(cost_microusd), SUM(input_tokens),
      SUM(output_tokens) FROM added GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (workspace_id, quarter, model, provider) DO UPDATE SET calls = kept.calls + excluded.calls,
      cost_microusd = kept.cost_microusd + excluded.cost_microusd, input_tokens = kept.input_tokens + excluded.input_tokens,
      output_tokens = kept.output_tokens + excluded.output_tokens;
  INSERT INTO llm_usage_days AS kept
    SELECT workspace_id, occurred_at / 86400000000, coalesce(agent_id, '00000000-0000-0000-0000-000000000000'), COUNT(*),
      SUM(cost_microusd), SUM(input_tokens), SUM(output_tokens) FROM added GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (workspace_id, day, agent_id) DO UPDATE SET calls = kept.calls + excluded.calls,
      cost_microusd = kept.cost_microusd + excluded.cost_microusd, input_tokens = kept.input_tokens + excluded.input_tokens,
      output_tokens = kept.output_tokens + excluded.output_tokens;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION add_llm_usage() FROM PUBLIC;
CREATE TRIGGER totals AFTER INSERT ON llm_usage REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION add_llm_usage();
