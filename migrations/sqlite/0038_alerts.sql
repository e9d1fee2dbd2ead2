-- Alerts that an Alertmanager delivered. `workspace_id` is the nil UUID for those that carry no workspace's label.
CREATE TABLE alerts (
  workspace_id BLOB NOT NULL,
  fingerprint TEXT NOT NULL,
  starts_at INTEGER NOT NULL,
  ended_at INTEGER,
  name TEXT NOT NULL,
  severity TEXT,
  subject TEXT NOT NULL,
  summary TEXT NOT NULL,
  labels TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, fingerprint, starts_at)
) STRICT;
CREATE INDEX alerts_by_time ON alerts (workspace_id, received_at);
