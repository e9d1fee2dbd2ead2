-- Documents and their passages. `tokens` are the words of a passage as the program normalised them.
CREATE TABLE documents (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,
  content TEXT NOT NULL,
  source_url TEXT,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('processing', 'indexed', 'failed')),
  error TEXT,
  bytes INTEGER NOT NULL,
  passages INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE INDEX documents_by_time ON documents (workspace_id, created_at, id);
CREATE INDEX documents_by_title ON documents (workspace_id, title_key);
CREATE TABLE chunks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  document_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  content TEXT NOT NULL,
  tokens TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, document_id, position)
) STRICT;

-- Finds candidates by word, inside one workspace: its id is indexed as `scope`, as for memories.
CREATE VIRTUAL TABLE chunks_text USING fts5 (scope, tokens, content='', contentless_delete=1, tokenize='ascii', detail='column');
CREATE TRIGGER chunks_added AFTER INSERT ON chunks BEGIN
  INSERT INTO chunks_text (rowid, scope, tokens) VALUES (new.seq, lower(hex(new.workspace_id)), new.tokens);
END;
CREATE TRIGGER chunks_removed AFTER DELETE ON chunks BEGIN
  DELETE FROM chunks_text WHERE rowid = old.seq;
END;
