-- The tables of the pack `media` on SQLite. `migrations/postgres/0001_media.sql` has the same tables and columns.

-- A film or a series that a call added. `foreign_id` is its id at TMDB or TheTVDB, `library_id` its id at the server, `library`
-- the name of the library in the settings. A call that acts for nobody has no user.
CREATE TABLE media_tracking (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  id BLOB NOT NULL,
  call_id BLOB NOT NULL,
  user_id BLOB,
  agent_id BLOB,
  kind TEXT NOT NULL CHECK (kind IN ('movie', 'series')),
  title TEXT NOT NULL,
  year INTEGER,
  foreign_id TEXT NOT NULL,
  library_id INTEGER,
  library TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, call_id)
) STRICT;

-- The list of everybody, newest first.
CREATE INDEX media_tracking_by_time ON media_tracking (workspace_id, created_at, id);
-- The list of one user, newest first.
CREATE INDEX media_tracking_by_user ON media_tracking (workspace_id, user_id, created_at, id);
