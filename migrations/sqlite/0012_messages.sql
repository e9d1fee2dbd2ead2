-- What was said in chats, as chat backends report it. `tokens` are the words of the text as the program normalised
-- them. A chat belongs to the users that any of its messages names.
CREATE TABLE messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  occurred_at INTEGER NOT NULL,
  chat_id TEXT NOT NULL,
  user_id BLOB,
  agent_id BLOB,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
  text TEXT NOT NULL,
  tokens TEXT NOT NULL,
  UNIQUE (workspace_id, id)
) STRICT;
CREATE INDEX messages_by_time ON messages (workspace_id, occurred_at, id);
CREATE INDEX messages_by_chat ON messages (workspace_id, chat_id, occurred_at, id);
CREATE INDEX messages_by_user ON messages (workspace_id, user_id, chat_id);

-- Finds candidates by word, inside one workspace: its id is indexed as `scope`, as for memories.
CREATE VIRTUAL TABLE messages_text USING fts5 (scope, tokens, content='', contentless_delete=1, tokenize='ascii', detail='column');
CREATE TRIGGER messages_added AFTER INSERT ON messages BEGIN
  INSERT INTO messages_text (rowid, scope, tokens) VALUES (new.seq, lower(hex(new.workspace_id)), new.tokens);
END;
CREATE TRIGGER messages_removed AFTER DELETE ON messages BEGIN
  DELETE FROM messages_text WHERE rowid = old.seq;
END;
