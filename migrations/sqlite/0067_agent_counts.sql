-- The list of agents shows what each was given: counted where it changes, not wherever it is read.
ALTER TABLE agents ADD COLUMN tool_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN skill_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN plugin_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN heartbeat INTEGER NOT NULL DEFAULT 0;

UPDATE agents SET
  tool_count = (SELECT COUNT(*) FROM agent_tools t WHERE t.workspace_id = agents.workspace_id AND t.agent_id = agents.id),
  skill_count = (SELECT COUNT(*) FROM agent_skills s WHERE s.workspace_id = agents.workspace_id AND s.agent_id = agents.id),
  plugin_count = (SELECT COUNT(*) FROM agent_plugins p WHERE p.workspace_id = agents.workspace_id AND p.agent_id = agents.id),
  heartbeat = EXISTS (SELECT 1 FROM heartbeats h
    WHERE h.workspace_id = agents.workspace_id AND h.agent_id = agents.id AND h.enabled);
-- A key's use is its agent's activity.
UPDATE agents SET last_active_at = used.at
  FROM (SELECT workspace_id, agent_id, MAX(last_used_at) AS at FROM keys GROUP BY workspace_id, agent_id) AS used
  WHERE used.workspace_id = agents.workspace_id AND used.agent_id = agents.id AND used.at > coalesce(last_active_at, 0);

CREATE TRIGGER agent_tools_given AFTER INSERT ON agent_tools BEGIN
  UPDATE agents SET tool_count = (SELECT COUNT(*) FROM agent_tools WHERE workspace_id = NEW.workspace_id AND agent_id = NEW.agent_id)
    WHERE workspace_id = NEW.workspace_id AND id = NEW.agent_id;
END;
CREATE TRIGGER agent_tools_taken AFTER DELETE ON agent_tools BEGIN
  UPDATE agents SET tool_count = (SELECT COUNT(*) FROM agent_tools WHERE workspace_id = OLD.workspace_id AND agent_id = OLD.agent_id)
    WHERE workspace_id = OLD.workspace_id AND id = OLD.agent_id;
END;
CREATE TRIGGER agent_skills_given AFTER INSERT ON agent_skills BEGIN
  UPDATE agents SET skill_count = (SELECT COUNT(*) FROM agent_skills WHERE workspace_id = NEW.workspace_id AND agent_id = NEW.agent_id)
    WHERE workspace_id = NEW.workspace_id AND id = NEW.agent_id;
END;
CREATE TRIGGER agent_skills_taken AFTER DELETE ON agent_skills BEGIN
  UPDATE agents SET skill_count = (SELECT COUNT(*) FROM agent_skills WHERE workspace_id = OLD.workspace_id AND agent_id = OLD.agent_id)
    WHERE workspace_id = OLD.workspace_id AND id = OLD.agent_id;
END;
CREATE TRIGGER agent_plugins_given AFTER INSERT ON agent_plugins BEGIN
  UPDATE agents SET plugin_count = (SELECT COUNT(*) FROM agent_plugins WHERE workspace_id = NEW.workspace_id AND agent_id = NEW.agent_id)
    WHERE workspace_id = NEW.workspace_id AND id = NEW.agent_id;
END;
CREATE TRIGGER agent_plugins_taken AFTER DELETE ON agent_plugins BEGIN
  UPDATE agents SET plugin_count = (SELECT COUNT(*) FROM agent_plugins WHERE workspace_id = OLD.workspace_id AND agent_id = OLD.agent_id)
    WHERE workspace_id = OLD.workspace_id AND id = OLD.agent_id;
END;
CREATE TRIGGER heartbeats_begun AFTER INSERT ON heartbeats BEGIN
  UPDATE agents SET heartbeat = NEW.enabled WHERE workspace_id = NEW.workspace_id AND id = NEW.agent_id;
END;
CREATE TRIGGER heartbeats_changed AFTER UPDATE OF enabled ON heartbeats BEGIN
  UPDATE agents SET heartbeat = NEW.enabled WHERE workspace_id = NEW.workspace_id AND id = NEW.agent_id;
END;
CREATE TRIGGER heartbeats_ended AFTER DELETE ON heartbeats BEGIN
  UPDATE agents SET heartbeat = 0 WHERE workspace_id = OLD.workspace_id AND id = OLD.agent_id;
END;
