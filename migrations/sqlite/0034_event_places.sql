-- Where an event stands among those that are committed. One writer commits in the order of `seq`, so that here `seq` is
-- the place and this column stays empty; PostgreSQL needs it.
ALTER TABLE events ADD COLUMN place INTEGER;
CREATE UNIQUE INDEX events_by_place ON events (workspace_id, place);
