-- What statistics group by and add up, as columns, so that an index has it on both databases: PostgreSQL reads the table for the
-- expressions of an index. `prompted` says whether the system prompt has a character that is not white space, which rules of
-- blueprints ask.
ALTER TABLE agents ADD COLUMN prompted BOOLEAN GENERATED ALWAYS AS (coalesce(btrim(system_prompt, E'\t\n\u000B\f\r \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000'), '') <> '') STORED;
CREATE INDEX agents_by_facts ON agents (workspace_id, model, tags, tool_count, prompted);
ALTER TABLE memories ADD COLUMN bytes BIGINT GENERATED ALWAYS AS (octet_length(content)) STORED;
CREATE INDEX memories_by_agent ON memories (workspace_id, agent_id, kind, bytes, created_at);
