-- The toolsets of a workspace: documents of declared tools. A row without a document is for a toolset of the operator
-- and holds only the workspace's switch and disabled tools. `disabled_tools` is a JSON list of names. The slug compares
-- by bytes, because lists of tools follow its order.
CREATE TABLE toolsets (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  slug TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  document TEXT,
  digest TEXT,
  enabled BOOLEAN NOT NULL,
  disabled_tools TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by UUID,
  PRIMARY KEY (workspace_id, slug)
);
SELECT guard_tenant('toolsets', 'SELECT, INSERT, UPDATE, DELETE');

-- Incremented by every change of the workspace's toolsets, in the commit of the change.
ALTER TABLE workspaces ADD COLUMN toolset_version BIGINT NOT NULL DEFAULT 0;
