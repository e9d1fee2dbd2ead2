-- Documents and their passages. `tokens` are the words of a passage as the program normalised them.
CREATE TABLE documents (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT COLLATE "C" NOT NULL,
  content TEXT NOT NULL,
  source_url TEXT,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('processing', 'indexed', 'failed')),
  error TEXT,
  bytes BIGINT NOT NULL,
  passages BIGINT NOT NULL,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX documents_by_time ON documents (workspace_id, created_at, id);
CREATE INDEX documents_by_title ON documents (workspace_id, title_key);
SELECT guard_tenant('documents', 'SELECT, INSERT, UPDATE, DELETE');
CREATE TABLE chunks (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  document_id UUID NOT NULL,
  position BIGINT NOT NULL,
  content TEXT NOT NULL,
  tokens TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, document_id, position)
);
SELECT guard_tenant('chunks', 'SELECT, INSERT, UPDATE, DELETE');

-- Candidates by word, as for memories: a role that no policy binds asks for the transaction's workspace itself.
CREATE INDEX chunks_by_word ON chunks USING gin (word_vector(tokens));
GRANT SELECT ON chunks TO toolcrib_lookup;
CREATE POLICY lookup ON chunks FOR SELECT TO toolcrib_lookup USING (true);
CREATE FUNCTION chunk_candidates(words TEXT, most BIGINT) RETURNS SETOF chunks
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT * FROM chunks
        WHERE workspace_id = current_workspace() AND word_vector(tokens) @@ any_word(words)
        ORDER BY created_at DESC, id DESC LIMIT most $$;
GRANT CREATE ON SCHEMA public TO toolcrib_lookup;
ALTER FUNCTION chunk_candidates(TEXT, BIGINT) OWNER TO toolcrib_lookup;
REVOKE CREATE ON SCHEMA public FROM toolcrib_lookup;
REVOKE ALL ON FUNCTION chunk_candidates(TEXT, BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION chunk_candidates(TEXT, BIGINT) TO toolcrib_app;
