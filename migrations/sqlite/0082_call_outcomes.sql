-- How a call of a declared tool is run, and how it ended: what runs the tool, the digest of its definition, the row of
-- the call that an outcome belongs to, and the principal that reported it. The columns are absent from the hashed form of
-- a row while they are null.
ALTER TABLE action_log ADD COLUMN executor TEXT;
ALTER TABLE action_log ADD COLUMN definition TEXT;
ALTER TABLE action_log ADD COLUMN call_ref BLOB;
ALTER TABLE action_log ADD COLUMN reported_by BLOB;
CREATE INDEX action_log_by_call_ref ON action_log (workspace_id, call_ref) WHERE call_ref IS NOT NULL;
