-- The list of agents shows what each was given: counted where it changes, not wherever it is read.
ALTER TABLE agents
  ADD COLUMN tool_count BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN skill_count BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN plugin_count BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN heartbeat BOOLEAN NOT NULL DEFAULT FALSE;

-- The walls bind whoever owns the tables too: they are down while what is there is counted.
DO $$
DECLARE named TEXT;
BEGIN
  FOREACH named IN ARRAY ARRAY['agents', 'agent_tools', 'agent_skills', 'agent_plugins', 'heartbeats', 'keys'] LOOP
    EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', named);
  END LOOP;
  UPDATE agents a SET
    tool_count = (SELECT COUNT(*) FROM agent_tools t WHERE t.workspace_id = a.workspace_id AND t.agent_id = a.id),
    skill_count = (SELECT COUNT(*) FROM agent_skills s WHERE s.workspace_id = a.workspace_id AND s.agent_id = a.id),
    plugin_count = (SELECT COUNT(*) FROM agent_plugins p WHERE p.workspace_id = a.workspace_id AND p.agent_id = a.id),
    heartbeat = EXISTS (SELECT 1 FROM heartbeats h
      WHERE h.workspace_id = a.workspace_id AND h.agent_id = a.id AND h.enabled),
    -- A key's use is its agent's activity.
    last_active_at = GREATEST(a.last_active_at, (SELECT MAX(k.last_used_at) FROM keys k
      WHERE k.workspace_id = a.workspace_id AND k.agent_id = a.id));
  FOREACH named IN ARRAY ARRAY['agents', 'agent_tools', 'agent_skills', 'agent_plugins', 'heartbeats', 'keys'] LOOP
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', named);
  END LOOP;
END $$;

CREATE FUNCTION recount_agent() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE changed RECORD;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  -- Locked first, so that the counts below see what whoever held it before has committed.
  PERFORM 1 FROM agents WHERE workspace_id = changed.workspace_id AND id = changed.agent_id FOR NO KEY UPDATE;
  UPDATE agents a SET
    tool_count = (SELECT COUNT(*) FROM agent_tools t WHERE t.workspace_id = a.workspace_id AND t.agent_id = a.id),
    skill_count = (SELECT COUNT(*) FROM agent_skills s WHERE s.workspace_id = a.workspace_id AND s.agent_id = a.id),
    plugin_count = (SELECT COUNT(*) FROM agent_plugins p WHERE p.workspace_id = a.workspace_id AND p.agent_id = a.id),
    heartbeat = EXISTS (SELECT 1 FROM heartbeats h
      WHERE h.workspace_id = a.workspace_id AND h.agent_id = a.id AND h.enabled)
    WHERE a.workspace_id = changed.workspace_id AND a.id = changed.agent_id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION recount_agent() FROM PUBLIC;
CREATE TRIGGER recount AFTER INSERT OR DELETE ON agent_tools FOR EACH ROW EXECUTE FUNCTION recount_agent();
CREATE TRIGGER recount AFTER INSERT OR DELETE ON agent_skills FOR EACH ROW EXECUTE FUNCTION recount_agent();
CREATE TRIGGER recount AFTER INSERT OR DELETE ON agent_plugins FOR EACH ROW EXECUTE FUNCTION recount_agent();
CREATE TRIGGER recount AFTER INSERT OR DELETE OR UPDATE OF enabled ON heartbeats
  FOR EACH ROW EXECUTE FUNCTION recount_agent();
