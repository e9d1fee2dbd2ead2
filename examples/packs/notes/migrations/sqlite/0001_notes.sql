-- A note. Everybody in the workspace reads it.
CREATE TABLE notes_notes (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  id BLOB NOT NULL,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;

-- The list, newest first.
CREATE INDEX notes_notes_by_time ON notes_notes (workspace_id, created_at, id);
