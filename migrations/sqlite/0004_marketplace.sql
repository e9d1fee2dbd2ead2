-- What a workspace can install (the same for all), what it installed, and what its agents were given.
-- The two catalogues are filled from the files in crates/store/data; system admins add to them.
CREATE TABLE catalogue_versions (
  catalogue TEXT NOT NULL PRIMARY KEY,
  version TEXT NOT NULL,
  digest TEXT NOT NULL
) STRICT;
CREATE TABLE marketplace_items (
  id BLOB NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'skill', 'plugin')),
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  category TEXT NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  search_key TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'withdrawn')),
  version TEXT NOT NULL,
  author TEXT NOT NULL,
  content TEXT NOT NULL,
  built_in INTEGER NOT NULL,
  install_count INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (kind, slug)
) STRICT;
CREATE INDEX marketplace_items_by_time ON marketplace_items (kind, status, published_at, id);
CREATE TABLE models (
  model TEXT NOT NULL PRIMARY KEY,
  provider TEXT NOT NULL,
  name TEXT NOT NULL,
  context_tokens INTEGER NOT NULL,
  max_output_tokens INTEGER NOT NULL,
  input_microusd_per_mtok INTEGER NOT NULL,
  output_microusd_per_mtok INTEGER NOT NULL,
  capabilities TEXT NOT NULL,
  tier TEXT NOT NULL CHECK (tier IN ('free', 'budget', 'mid', 'premium')),
  built_in INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE installs (
  workspace_id BLOB NOT NULL,
  item_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  installed_by BLOB,
  installed_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, item_id)
) STRICT;
CREATE TABLE workspace_models (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  model TEXT NOT NULL,
  installed_by BLOB,
  installed_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, model)
) STRICT;
-- Apps connected in a workspace: each app once, each name once.
CREATE TABLE connections (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  app TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  created_by BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, app),
  UNIQUE (workspace_id, name_key)
) STRICT;
CREATE TABLE agent_tools (
  workspace_id BLOB NOT NULL,
  agent_id BLOB NOT NULL,
  connection_id BLOB NOT NULL,
  assigned_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, connection_id)
) STRICT;
CREATE TABLE agent_skills (
  workspace_id BLOB NOT NULL,
  agent_id BLOB NOT NULL,
  item_id BLOB NOT NULL,
  assigned_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, item_id)
) STRICT;
CREATE TABLE agent_plugins (
  workspace_id BLOB NOT NULL,
  agent_id BLOB NOT NULL,
  item_id BLOB NOT NULL,
  assigned_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, agent_id, item_id)
) STRICT;
-- `active_hours` is a JSON object (start, end, timezone); `next_due_at` is null while it is off.
CREATE TABLE heartbeats (
  workspace_id BLOB NOT NULL,
  agent_id BLOB NOT NULL,
  enabled INTEGER NOT NULL,
  interval_minutes INTEGER NOT NULL,
  prompt TEXT,
  active_hours TEXT,
  mode TEXT NOT NULL CHECK (mode IN ('silent', 'notify', 'act')),
  next_due_at INTEGER,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, agent_id)
) STRICT;
CREATE INDEX heartbeats_by_due ON heartbeats (next_due_at);
