-- A note. Everybody in the workspace reads it.
CREATE TABLE notes_notes (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  id UUID NOT NULL,
  text TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
SELECT guard_tenant('notes_notes', 'SELECT, INSERT, UPDATE, DELETE');

-- The list, newest first.
CREATE INDEX notes_notes_by_time ON notes_notes (workspace_id, created_at, id);
