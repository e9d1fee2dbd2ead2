-- Memories. `agent_id` is the nil UUID for what the whole workspace shares: unique keys take no NULL. `tokens` are the
-- words of the content as the program normalised them.
CREATE TABLE memories (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  agent_id UUID NOT NULL,
  kind TEXT NOT NULL DEFAULT 'note',
  content TEXT NOT NULL,
  content_hash TEXT COLLATE "C" NOT NULL,
  tokens TEXT NOT NULL,
  tags TEXT NOT NULL,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, agent_id, content_hash)
);
CREATE INDEX memories_by_time ON memories (workspace_id, created_at, id);
SELECT guard_tenant('memories', 'SELECT, INSERT, UPDATE, DELETE');

-- The words as they are: no parser, no dictionary, nothing that a query could mean beyond its words.
CREATE FUNCTION word_vector(tokens TEXT) RETURNS TSVECTOR LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT array_to_tsvector(string_to_array(tokens, ' ')) $$;
CREATE FUNCTION any_word(tokens TEXT) RETURNS TSQUERY LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CAST(string_agg(quote_literal(word), ' | ') AS TSQUERY) FROM unnest(string_to_array(tokens, ' ')) AS word $$;

-- Under row level security the planner may not look into a text index before the policy has passed each row. This
-- runs as a role that no policy binds, and asks for the transaction's workspace itself.
CREATE INDEX memories_by_word ON memories USING gin (word_vector(tokens));
GRANT SELECT ON memories TO toolcrib_lookup;
CREATE POLICY lookup ON memories FOR SELECT TO toolcrib_lookup USING (true);
CREATE FUNCTION memory_candidates(words TEXT, of_agent UUID, most BIGINT) RETURNS SETOF memories
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT * FROM memories
        WHERE workspace_id = current_workspace() AND word_vector(tokens) @@ any_word(words)
          AND (of_agent IS NULL OR agent_id = of_agent)
        ORDER BY created_at DESC, id DESC LIMIT most $$;
GRANT CREATE ON SCHEMA public TO toolcrib_lookup;
ALTER FUNCTION memory_candidates(TEXT, UUID, BIGINT) OWNER TO toolcrib_lookup;
REVOKE CREATE ON SCHEMA public FROM toolcrib_lookup;
REVOKE ALL ON FUNCTION memory_candidates(TEXT, UUID, BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memory_candidates(TEXT, UUID, BIGINT) TO toolcrib_app;
