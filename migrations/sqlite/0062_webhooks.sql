-- Where a workspace's events are sent. `place` is how far the outbox was read for it, and what happened before `since`
-- is none of its business; the secrets that sign are encrypted, and the one before the last counts until
-- `previous_until`.
CREATE TABLE webhooks (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  url TEXT NOT NULL,
  types TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  place INTEGER NOT NULL,
  since INTEGER NOT NULL,
  secret_encrypted TEXT NOT NULL,
  previous_encrypted TEXT,
  previous_until INTEGER,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT;
-- One event for one webhook, with the body that is sent each time. `next_at` is when it is tried, or when whoever
-- tries it now is given up; a dead one has none.
CREATE TABLE webhook_deliveries (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  webhook_id BLOB NOT NULL,
  event_id BLOB NOT NULL,
  event_name TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'dead')),
  attempts INTEGER NOT NULL,
  next_at INTEGER,
  answered INTEGER,
  problem TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, webhook_id, event_id)
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (workspace_id, webhook_id, created_at, id);
