-- Memories by tag, in the order of their list, so that a page of a rare tag does not read all memories. Triggers keep the
-- rows, so that they are right whatever inserts memories, also a process of the version before.
CREATE TABLE memory_tags (
  workspace_id BLOB NOT NULL,
  tag TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  memory_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, tag, created_at, memory_id)
) STRICT, WITHOUT ROWID;
INSERT INTO memory_tags SELECT DISTINCT workspace_id, value, created_at, memories.id
  FROM memories, json_each(tags);

CREATE TRIGGER memory_tags_added AFTER INSERT ON memories WHEN new.tags <> '[]' BEGIN
  INSERT INTO memory_tags SELECT DISTINCT new.workspace_id, value, new.created_at, new.id FROM json_each(new.tags);
END;
CREATE TRIGGER memory_tags_removed AFTER DELETE ON memories WHEN old.tags <> '[]' BEGIN
  DELETE FROM memory_tags WHERE workspace_id = old.workspace_id AND created_at = old.created_at AND memory_id = old.id
    AND tag IN (SELECT value FROM json_each(old.tags));
END;
