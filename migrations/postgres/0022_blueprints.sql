-- Blueprints: rules for agents. The default one has `default_slot` 1 and the others null, so that there is one.
CREATE TABLE blueprints (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  description TEXT,
  rules TEXT NOT NULL,
  default_slot BIGINT CHECK (default_slot = 1),
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key),
  UNIQUE (workspace_id, default_slot)
);
CREATE INDEX blueprints_by_time ON blueprints (workspace_id, created_at, id);
SELECT guard_tenant('blueprints', 'SELECT, INSERT, UPDATE, DELETE');
