-- The tables of the pack `media` on PostgreSQL. `migrations/sqlite/0001_media.sql` has the same tables and columns.

-- A film or a series that a call added. `foreign_id` is its id at TMDB or TheTVDB, `library_id` its id at the server, `library`
-- the name of the library in the settings. A call that acts for nobody has no user.
CREATE TABLE media_tracking (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  id UUID NOT NULL,
  call_id UUID NOT NULL,
  user_id UUID,
  agent_id UUID,
  kind TEXT NOT NULL CHECK (kind IN ('movie', 'series')),
  title TEXT NOT NULL,
  year BIGINT,
  foreign_id TEXT NOT NULL,
  library_id BIGINT,
  library TEXT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, call_id)
);
SELECT guard_tenant('media_tracking', 'SELECT, INSERT, UPDATE, DELETE');

-- The list of everybody, newest first.
CREATE INDEX media_tracking_by_time ON media_tracking (workspace_id, created_at, id);
-- The list of one user, newest first.
CREATE INDEX media_tracking_by_user ON media_tracking (workspace_id, user_id, created_at, id);
