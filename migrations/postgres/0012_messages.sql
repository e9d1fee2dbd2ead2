-- What was said in chats, as chat backends report it. `tokens` are the words of the text as the program normalised
-- them. A chat belongs to the users that any of its messages names.
CREATE TABLE messages (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  occurred_at BIGINT NOT NULL,
  chat_id TEXT COLLATE "C" NOT NULL,
  user_id UUID,
  agent_id UUID,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
  text TEXT NOT NULL,
  tokens TEXT NOT NULL,
  UNIQUE (workspace_id, id)
);
CREATE INDEX messages_by_time ON messages (workspace_id, occurred_at, id);
CREATE INDEX messages_by_chat ON messages (workspace_id, chat_id, occurred_at, id);
CREATE INDEX messages_by_user ON messages (workspace_id, user_id, chat_id);
SELECT guard_tenant('messages', 'SELECT, INSERT');

-- Candidates by word, as for memories: a role that no policy binds asks for the transaction's workspace itself. With
-- a reader only the chats of that reader are looked at.
CREATE INDEX messages_by_word ON messages USING gin (word_vector(tokens));
GRANT SELECT ON messages TO toolcrib_lookup;
CREATE POLICY lookup ON messages FOR SELECT TO toolcrib_lookup USING (true);
CREATE FUNCTION message_candidates(words TEXT, since BIGINT, reader UUID, most BIGINT) RETURNS SETOF messages
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT * FROM messages
        WHERE workspace_id = current_workspace() AND word_vector(tokens) @@ any_word(words) AND occurred_at >= since
          AND (reader IS NULL OR chat_id IN (SELECT own.chat_id FROM messages own
               WHERE own.workspace_id = current_workspace() AND own.user_id = reader))
        ORDER BY occurred_at DESC, id DESC LIMIT most $$;
GRANT CREATE ON SCHEMA public TO toolcrib_lookup;
ALTER FUNCTION message_candidates(TEXT, BIGINT, UUID, BIGINT) OWNER TO toolcrib_lookup;
REVOKE CREATE ON SCHEMA public FROM toolcrib_lookup;
REVOKE ALL ON FUNCTION message_candidates(TEXT, BIGINT, UUID, BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION message_candidates(TEXT, BIGINT, UUID, BIGINT) TO toolcrib_app;
