-- What a workspace can install (the same for all), what it installed, and what its agents were given.
-- The two catalogues are filled from the files in crates/store/data; system admins add to them.
CREATE TABLE catalogue_versions (
  catalogue TEXT NOT NULL PRIMARY KEY,
  version TEXT NOT NULL,
  digest TEXT NOT NULL
);
GRANT SELECT ON catalogue_versions TO toolcrib_app;
CREATE TABLE marketplace_items (
  id UUID NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'skill', 'plugin')),
  slug TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  category TEXT COLLATE "C" NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  search_key TEXT COLLATE "C" NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'withdrawn')),
  version TEXT NOT NULL,
  author TEXT NOT NULL,
  content TEXT NOT NULL,
  built_in BOOLEAN NOT NULL,
  install_count BIGINT NOT NULL,
  published_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (kind, slug)
);
CREATE INDEX marketplace_items_by_time ON marketplace_items (kind, status, published_at, id);
GRANT SELECT, INSERT, UPDATE ON marketplace_items TO toolcrib_app;
CREATE TABLE models (
  model TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  provider TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  context_tokens BIGINT NOT NULL,
  max_output_tokens BIGINT NOT NULL,
  input_microusd_per_mtok BIGINT NOT NULL,
  output_microusd_per_mtok BIGINT NOT NULL,
  capabilities TEXT NOT NULL,
  tier TEXT NOT NULL CHECK (tier IN ('free', 'budget', 'mid', 'premium')),
  built_in BOOLEAN NOT NULL,
  updated_at BIGINT NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON models TO toolcrib_app;
CREATE TABLE installs (
  workspace_id UUID NOT NULL,
  item_id UUID NOT NULL,
  kind TEXT NOT NULL,
  installed_by UUID,
  installed_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, item_id)
);
SELECT guard_tenant('installs', 'SELECT, INSERT, UPDATE, DELETE');
CREATE TABLE workspace_models (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  installed_by UUID,
  installed_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, model)
);
SELECT guard_tenant('workspace_models', 'SELECT, INSERT, UPDATE, DELETE');
-- Apps connected in a workspace: each app once, each name once.
CREATE TABLE connections (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  app TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, app),
  UNIQUE (workspace_id, name_key)
);
SELECT guard_tenant('connections', 'SELECT, INSERT, UPDATE, DELETE');
CREATE TABLE agent_tools (
  workspace_id UUID NOT NULL,
  agent_id UUID NOT NULL,
  connection_id UUID NOT NULL,
  assigned_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, connection_id)
);
SELECT guard_tenant('agent_tools', 'SELECT, INSERT, UPDATE, DELETE');
CREATE TABLE agent_skills (
  workspace_id UUID NOT NULL,
  agent_id UUID NOT NULL,
  item_id UUID NOT NULL,
  assigned_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, item_id)
);
SELECT guard_tenant('agent_skills', 'SELECT, INSERT, UPDATE, DELETE');
CREATE TABLE agent_plugins (
  workspace_id UUID NOT NULL,
  agent_id UUID NOT NULL,
  item_id UUID NOT NULL,
  assigned_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, item_id)
);
SELECT guard_tenant('agent_plugins', 'SELECT, INSERT, UPDATE, DELETE');
-- `active_hours` is a JSON object (start, end, timezone); `next_due_at` is null while it is off.
CREATE TABLE heartbeats (
  workspace_id UUID NOT NULL,
  agent_id UUID NOT NULL,
  enabled BOOLEAN NOT NULL,
  interval_minutes BIGINT NOT NULL,
  prompt TEXT,
  active_hours TEXT,
  mode TEXT NOT NULL CHECK (mode IN ('silent', 'notify', 'act')),
  next_due_at BIGINT,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, agent_id)
);
CREATE INDEX heartbeats_by_due ON heartbeats (next_due_at);
SELECT guard_tenant('heartbeats', 'SELECT, INSERT, UPDATE, DELETE');
-- A worker tells of what is due, across workspaces.
GRANT SELECT, UPDATE ON heartbeats TO toolcrib_worker;
CREATE POLICY workers ON heartbeats TO toolcrib_worker USING (true) WITH CHECK (true);
