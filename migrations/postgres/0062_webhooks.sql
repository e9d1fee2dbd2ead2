-- Where a workspace's events are sent. `place` is how far the outbox was read for it, and what happened before `since`
-- is none of its business; the secrets that sign are encrypted, and the one before the last counts until
-- `previous_until`.
CREATE TABLE webhooks (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  url TEXT NOT NULL,
  types TEXT NOT NULL,
  enabled BOOLEAN NOT NULL,
  place BIGINT NOT NULL,
  since BIGINT NOT NULL,
  secret_encrypted TEXT NOT NULL,
  previous_encrypted TEXT,
  previous_until BIGINT,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id)
);
SELECT guard_tenant('webhooks', 'SELECT, INSERT, UPDATE, DELETE');
-- One event for one webhook, with the body that is sent each time. `next_at` is when it is tried, or when whoever
-- tries it now is given up; a dead one has none.
CREATE TABLE webhook_deliveries (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  webhook_id UUID NOT NULL,
  event_id UUID NOT NULL,
  event_name TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'dead')),
  attempts BIGINT NOT NULL,
  next_at BIGINT,
  answered BIGINT,
  problem TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, webhook_id, event_id)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (workspace_id, webhook_id, created_at, id);
-- Requests look at deliveries, have them tried again and remove them with their webhook; a worker alone makes them.
SELECT guard_tenant('webhook_deliveries', 'SELECT, UPDATE, DELETE');

-- The worker finds both across workspaces, and writes inside the workspace that it entered.
GRANT SELECT ON webhooks TO toolcrib_worker;
GRANT UPDATE (place) ON webhooks TO toolcrib_worker;
CREATE POLICY workers ON webhooks TO toolcrib_worker USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_deliveries TO toolcrib_worker;
CREATE POLICY workers ON webhook_deliveries TO toolcrib_worker USING (true) WITH CHECK (true);
