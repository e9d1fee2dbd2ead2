-- What statistics group by and add up, as columns, so that an index has it on both databases: PostgreSQL reads the table for the
-- expressions of an index. `prompted` says whether the system prompt has a character that is not white space, which rules of
-- blueprints ask.
ALTER TABLE agents ADD COLUMN prompted INTEGER GENERATED ALWAYS AS (coalesce(trim(system_prompt, char(9, 10, 11, 12, 13, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197,
    8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288)), '') <> '') VIRTUAL;
DROP INDEX agents_by_facts;
CREATE INDEX agents_by_facts ON agents (workspace_id, model, tags, tool_count, prompted);
ALTER TABLE memories ADD COLUMN bytes INTEGER GENERATED ALWAYS AS (octet_length(content)) VIRTUAL;
DROP INDEX memories_by_agent;
CREATE INDEX memories_by_agent ON memories (workspace_id, agent_id, kind, bytes, created_at);
