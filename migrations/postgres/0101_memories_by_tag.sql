-- Memories by tag, in the order of their list, so that a page of a rare tag does not read all memories. Triggers keep the
-- rows, so that they are right whatever inserts memories, also a process of the version before.
CREATE TABLE memory_tags (
  workspace_id UUID NOT NULL,
  tag TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  memory_id UUID NOT NULL,
  PRIMARY KEY (workspace_id, tag, created_at, memory_id)
);
-- The policies bind whoever owns the table too: they are off while its rows are read.
ALTER TABLE memories NO FORCE ROW LEVEL SECURITY;
INSERT INTO memory_tags SELECT DISTINCT workspace_id, tag, created_at, id
  FROM memories, json_array_elements_text(CAST(tags AS JSON)) AS tag;
ALTER TABLE memories FORCE ROW LEVEL SECURITY;
SELECT guard_tenant('memory_tags', 'SELECT, INSERT, DELETE');

CREATE FUNCTION add_memory_tags() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO memory_tags SELECT DISTINCT NEW.workspace_id, tag, NEW.created_at, NEW.id
    FROM json_array_elements_text(CAST(NEW.tags AS JSON)) AS tag;
  RETURN NULL;
END $$;
CREATE FUNCTION remove_memory_tags() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM memory_tags WHERE workspace_id = OLD.workspace_id AND created_at = OLD.created_at AND memory_id = OLD.id
    AND tag IN (SELECT json_array_elements_text(CAST(OLD.tags AS JSON)));
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION add_memory_tags() FROM PUBLIC;
REVOKE ALL ON FUNCTION remove_memory_tags() FROM PUBLIC;
CREATE TRIGGER tags_added AFTER INSERT ON memories FOR EACH ROW WHEN (NEW.tags <> '[]')
  EXECUTE FUNCTION add_memory_tags();
CREATE TRIGGER tags_removed AFTER DELETE ON memories FOR EACH ROW WHEN (OLD.tags <> '[]')
  EXECUTE FUNCTION remove_memory_tags();
