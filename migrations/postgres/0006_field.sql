-- What the agents of a mission share. `strength` is what it was at `reinforced_at`; it halves every 24 hours from then.
CREATE TABLE field_entries (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  mission_id UUID NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  value TEXT NOT NULL,
  tokens TEXT NOT NULL,
  strength DOUBLE PRECISION NOT NULL,
  reinforced_at BIGINT NOT NULL,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, mission_id, key)
);
SELECT guard_tenant('field_entries', 'SELECT, INSERT, UPDATE, DELETE');

-- One row a write; `changed` where the value was new, and not only reinforced.
CREATE TABLE field_writes (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  mission_id UUID NOT NULL,
  entry_id UUID NOT NULL,
  changed BOOLEAN NOT NULL,
  written_by UUID,
  written_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX field_writes_by_time ON field_writes (workspace_id, mission_id, written_at, id);
SELECT guard_tenant('field_writes', 'SELECT, INSERT');

-- As in 0005_memory.
CREATE INDEX field_entries_by_word ON field_entries USING gin (word_vector(tokens));
GRANT SELECT ON field_entries TO toolcrib_lookup;
CREATE POLICY lookup ON field_entries FOR SELECT TO toolcrib_lookup USING (true);
CREATE FUNCTION field_candidates(words TEXT, of_mission UUID, most BIGINT) RETURNS SETOF field_entries
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT * FROM field_entries
        WHERE workspace_id = current_workspace() AND mission_id = of_mission AND word_vector(tokens) @@ any_word(words)
        ORDER BY reinforced_at DESC, id DESC LIMIT most $$;
GRANT CREATE ON SCHEMA public TO toolcrib_lookup;
ALTER FUNCTION field_candidates(TEXT, UUID, BIGINT) OWNER TO toolcrib_lookup;
REVOKE CREATE ON SCHEMA public FROM toolcrib_lookup;
REVOKE ALL ON FUNCTION field_candidates(TEXT, UUID, BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION field_candidates(TEXT, UUID, BIGINT) TO toolcrib_app;
