-- Memories. `agent_id` is the nil UUID for what the whole workspace shares: unique keys take no NULL. `tokens` are the
-- words of the content as the program normalised them.
CREATE TABLE memories (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  agent_id BLOB NOT NULL,
  kind TEXT NOT NULL DEFAULT 'note',
  content TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  tokens TEXT NOT NULL,
  tags TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, agent_id, content_hash)
) STRICT;
CREATE INDEX memories_by_time ON memories (workspace_id, created_at, id);

-- Finds candidates by word, inside one workspace: its id is indexed as `scope`. The tokenizer splits at the spaces
-- between the words and changes nothing: they are normalised already.
CREATE VIRTUAL TABLE memories_text USING fts5 (scope, tokens, content='', contentless_delete=1, tokenize='ascii', detail='column');
CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
  INSERT INTO memories_text (rowid, scope, tokens) VALUES (new.seq, lower(hex(new.workspace_id)), new.tokens);
END;
CREATE TRIGGER memories_removed AFTER DELETE ON memories BEGIN
  DELETE FROM memories_text WHERE rowid = old.seq;
END;
