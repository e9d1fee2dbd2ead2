-- Who stands behind a key: everybody to whom a secret of it was shown. `is_current`: the key may do what they hold.
-- The others vouch for nothing any more, but know a secret of it: for ever, or until the microsecond that is said.
CREATE TABLE key_minters (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  key_id UUID NOT NULL,
  user_id UUID NOT NULL,
  is_current BOOLEAN NOT NULL,
  known_until BIGINT,
  PRIMARY KEY (workspace_id, key_id, user_id)
);
CREATE INDEX key_minters_by_user ON key_minters (workspace_id, user_id);
-- Row level security binds the owner of the tables too: it is off while the rows that are there are copied.
ALTER TABLE keys NO FORCE ROW LEVEL SECURITY;
INSERT INTO key_minters (workspace_id, key_id, user_id, is_current)
  SELECT workspace_id, id, created_by, TRUE FROM keys WHERE created_by IS NOT NULL;
ALTER TABLE keys FORCE ROW LEVEL SECURITY;
SELECT guard_tenant('key_minters', 'SELECT, INSERT, UPDATE');

-- The key that made this one, and the secret that it had before it was adopted.
ALTER TABLE keys
  ADD COLUMN parent_id UUID,
  ADD COLUMN old_secret_hash BYTEA,
  ADD COLUMN old_secret_until BIGINT;
CREATE INDEX keys_by_parent ON keys (workspace_id, parent_id);

-- What a row is put down to beside its principal. Where they are null they are not part of what is hashed.
ALTER TABLE action_log
  ADD COLUMN minters TEXT,
  ADD COLUMN edited_by UUID,
  ADD COLUMN issuer TEXT,
  ADD COLUMN subject TEXT;
