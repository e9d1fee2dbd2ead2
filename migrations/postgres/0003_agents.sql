-- Agents. `name_key` is the name in lower case: names are unique without regard to case.
CREATE TABLE agents (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  slug TEXT COLLATE "C" NOT NULL,
  role TEXT NOT NULL,
  model TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
  description TEXT,
  system_prompt TEXT,
  temperature DOUBLE PRECISION,
  tags TEXT NOT NULL,
  version BIGINT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  last_active_at BIGINT,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key),
  UNIQUE (workspace_id, slug)
);
CREATE INDEX agents_by_time ON agents (workspace_id, created_at, id);
SELECT guard_tenant('agents', 'SELECT, INSERT, UPDATE, DELETE');
