-- Who stands behind a key: everybody to whom a secret of it was shown. `is_current`: the key may do what they hold.
-- The others vouch for nothing any more, but know a secret of it: for ever, or until the microsecond that is said.
CREATE TABLE key_minters (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  key_id BLOB NOT NULL,
  user_id BLOB NOT NULL,
  is_current INTEGER NOT NULL,
  known_until INTEGER,
  PRIMARY KEY (workspace_id, key_id, user_id)
) STRICT;
CREATE INDEX key_minters_by_user ON key_minters (workspace_id, user_id);
INSERT INTO key_minters (workspace_id, key_id, user_id, is_current)
  SELECT workspace_id, id, created_by, 1 FROM keys WHERE created_by IS NOT NULL;

-- The key that made this one, and the secret that it had before it was adopted.
ALTER TABLE keys ADD COLUMN parent_id BLOB;
ALTER TABLE keys ADD COLUMN old_secret_hash BLOB;
ALTER TABLE keys ADD COLUMN old_secret_until INTEGER;
CREATE INDEX keys_by_parent ON keys (workspace_id, parent_id);

-- What a row is put down to beside its principal. Where they are null they are not part of what is hashed.
ALTER TABLE action_log ADD COLUMN minters TEXT;
ALTER TABLE action_log ADD COLUMN edited_by BLOB;
ALTER TABLE action_log ADD COLUMN issuer TEXT;
ALTER TABLE action_log ADD COLUMN subject TEXT;
