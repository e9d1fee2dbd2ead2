-- An event is written once and placed once; each index that it enters costs both. Rows without a place are in none of
-- the indexes by place, and what is looked for by `seq` alone is found by the primary key.
DROP INDEX events_by_place;
CREATE UNIQUE INDEX events_by_place ON events (workspace_id, place) WHERE place IS NOT NULL;
DROP INDEX events_everywhere;
CREATE INDEX events_everywhere ON events (place) WHERE place IS NOT NULL;
DROP INDEX events_by_workspace;
-- Each new agent asks for the template that has its name.
CREATE INDEX marketplace_items_by_name ON marketplace_items (kind, name_key);
