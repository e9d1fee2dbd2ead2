-- Where an event stands among those that are committed. `seq` is taken before the commit, so that a lower one may
-- become visible later; a place is given to rows that are committed, by one process at a time, and only grows.
ALTER TABLE events ADD COLUMN place BIGINT;
CREATE UNIQUE INDEX events_by_place ON events (workspace_id, place);
CREATE INDEX events_everywhere ON events (place);
CREATE INDEX events_without_place ON events (seq) WHERE place IS NULL;
-- Of a row that is written nothing else changes.
GRANT UPDATE (place) ON events TO toolcrib_worker;
