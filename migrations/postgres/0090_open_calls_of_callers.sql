-- The open calls that their callers run are counted at each such call. The index has no call that ended, of which a caller may
-- have very many. It has the columns of its condition too, so that no row is read.
CREATE INDEX open_calls_of_callers ON open_calls (workspace_id, principal_id, user_id, executor, state)
  WHERE executor = 'client' AND state IN ('ready', 'running');
