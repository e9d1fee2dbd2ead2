-- Lists with a condition that few rows meet: each index has the order of its list.
CREATE INDEX agents_by_status ON agents (workspace_id, status, created_at, id);
CREATE INDEX missions_by_state ON missions (workspace_id, state, created_at, id);
CREATE INDEX playbooks_by_status ON playbooks (workspace_id, status, created_at, id);
CREATE INDEX documents_by_status ON documents (workspace_id, status, created_at, id);
CREATE INDEX schedules_by_status ON schedules (workspace_id, status, created_at, id);
CREATE INDEX tasks_by_status_and_time ON tasks (workspace_id, status, created_at, id);
DROP INDEX tasks_by_agent;
CREATE INDEX tasks_by_agent ON tasks (workspace_id, agent_id, created_at, id);
CREATE INDEX memories_by_agent_and_time ON memories (workspace_id, agent_id, created_at, id);
CREATE INDEX reports_by_agent ON reports (workspace_id, agent_id, created_at, id);

-- A search of the field is inside one mission, whose id is the scope. With the workspace's id it read the matches of all missions.
DROP TRIGGER field_entries_added;
DROP TRIGGER field_entries_changed;
INSERT INTO field_entries_text (field_entries_text) VALUES ('delete-all');
INSERT INTO field_entries_text (rowid, scope, tokens) SELECT seq, lower(hex(mission_id)), tokens FROM field_entries;
CREATE TRIGGER field_entries_added AFTER INSERT ON field_entries BEGIN
  INSERT INTO field_entries_text (rowid, scope, tokens) VALUES (new.seq, lower(hex(new.mission_id)), new.tokens);
END;
CREATE TRIGGER field_entries_changed AFTER UPDATE OF tokens ON field_entries BEGIN
  DELETE FROM field_entries_text WHERE rowid = old.seq;
  INSERT INTO field_entries_text (rowid, scope, tokens) VALUES (new.seq, lower(hex(new.mission_id)), new.tokens);
END;
