-- The services that declared tools call. `auth_kind` is none, bearer, header or basic; `auth_name` is the header's name;
-- `auth_owner` says whose secret is sent: the workspace's or the acting user's.
CREATE TABLE upstreams (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  name TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  base_url TEXT NOT NULL,
  auth_kind TEXT NOT NULL,
  auth_name TEXT,
  auth_owner TEXT NOT NULL,
  version BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by UUID,
  PRIMARY KEY (workspace_id, name)
);
SELECT guard_tenant('upstreams', 'SELECT, INSERT, UPDATE, DELETE');

-- The encrypted secrets of upstreams: that of the workspace, without a user, and those of users. `upstream` is the name of
-- an upstream of the workspace, or `<slug>.<name>` of one that an operator's toolset declares.
CREATE TABLE upstream_secrets (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  upstream TEXT COLLATE "C" NOT NULL,
  user_id UUID,
  sealed TEXT NOT NULL,
  set_by UUID,
  set_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX upstream_secrets_of_workspace ON upstream_secrets (workspace_id, upstream) WHERE user_id IS NULL;
CREATE UNIQUE INDEX upstream_secrets_of_users ON upstream_secrets (workspace_id, upstream, user_id)
  WHERE user_id IS NOT NULL;
CREATE INDEX upstream_secrets_by_user ON upstream_secrets (workspace_id, user_id) WHERE user_id IS NOT NULL;
SELECT guard_tenant('upstream_secrets', 'SELECT, INSERT, DELETE');
