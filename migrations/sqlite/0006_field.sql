-- What the agents of a mission share. `strength` is what it was at `reinforced_at`; it halves every 24 hours from then.
CREATE TABLE field_entries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  mission_id BLOB NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  tokens TEXT NOT NULL,
  strength REAL NOT NULL,
  reinforced_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  UNIQUE (workspace_id, id),
  UNIQUE (workspace_id, mission_id, key)
) STRICT;

-- One row a write; `changed` where the value was new, and not only reinforced.
CREATE TABLE field_writes (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  mission_id BLOB NOT NULL,
  entry_id BLOB NOT NULL,
  changed INTEGER NOT NULL,
  written_by BLOB,
  written_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
CREATE INDEX field_writes_by_time ON field_writes (workspace_id, mission_id, written_at, id);

-- As in 0005_memory.
CREATE VIRTUAL TABLE field_entries_text USING fts5 (scope, tokens, content='', contentless_delete=1, tokenize='ascii', detail='column');
CREATE TRIGGER field_entries_added AFTER INSERT ON field_entries BEGIN
  INSERT INTO field_entries_text (rowid, scope, tokens) VALUES (new.seq, lower(hex(new.workspace_id)), new.tokens);
END;
CREATE TRIGGER field_entries_changed AFTER UPDATE OF tokens ON field_entries BEGIN
  DELETE FROM field_entries_text WHERE rowid = old.seq;
  INSERT INTO field_entries_text (rowid, scope, tokens) VALUES (new.seq, lower(hex(new.workspace_id)), new.tokens);
END;
CREATE TRIGGER field_entries_removed AFTER DELETE ON field_entries BEGIN
  DELETE FROM field_entries_text WHERE rowid = old.seq;
END;
