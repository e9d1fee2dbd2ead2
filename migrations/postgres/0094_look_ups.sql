-- What writes look up, so that a write takes as long in a large workspace as in a small one.
DROP INDEX documents_by_title;
CREATE INDEX documents_by_title ON documents (workspace_id, title_key, created_at, id);
CREATE INDEX schedules_by_agent ON schedules (workspace_id, agent_id, status);
CREATE INDEX schedules_active ON schedules (workspace_id, kind) WHERE status = 'active';
CREATE INDEX keys_by_agent ON keys (workspace_id, agent_id) WHERE revoked_at IS NULL;
-- The column is NULL in all rows but one, so that the planner thinks little of the index that makes it unique.
CREATE INDEX blueprints_default ON blueprints (workspace_id) WHERE default_slot = 1;

-- The newest candidates of a search. A statement with the words in it is planned with the statistics of the words: the matches of
-- a rare word are fetched by the index of words, and a word that most texts have is looked for from the newest text on. A function
-- in SQL, whose plan serves all words, fetched and sorted every match.
CREATE INDEX chunks_by_time ON chunks (workspace_id, created_at, id);
CREATE OR REPLACE FUNCTION memory_candidates(words TEXT, of_agent UUID, most BIGINT) RETURNS SETOF memories
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ BEGIN RETURN QUERY EXECUTE 'SELECT * FROM memories
        WHERE workspace_id = current_workspace() AND word_vector(tokens) @@ any_word($1)
          AND ($2 IS NULL OR agent_id = $2)
        ORDER BY created_at DESC, id DESC LIMIT $3' USING words, of_agent, most; END $$;
CREATE OR REPLACE FUNCTION chunk_candidates(words TEXT, most BIGINT) RETURNS SETOF chunks
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ BEGIN RETURN QUERY EXECUTE 'SELECT * FROM chunks
        WHERE workspace_id = current_workspace() AND word_vector(tokens) @@ any_word($1)
        ORDER BY created_at DESC, id DESC LIMIT $2' USING words, most; END $$;
CREATE OR REPLACE FUNCTION message_candidates(words TEXT, since BIGINT, reader UUID, most BIGINT) RETURNS SETOF messages
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ BEGIN RETURN QUERY EXECUTE 'SELECT * FROM messages
        WHERE workspace_id = current_workspace() AND word_vector(tokens) @@ any_word($1) AND occurred_at >= $2
          AND ($3 IS NULL OR chat_id IN (SELECT own.chat_id FROM messages own
               WHERE own.workspace_id = current_workspace() AND own.user_id = $3))
        ORDER BY occurred_at DESC, id DESC LIMIT $4' USING words, since, reader, most; END $$;
