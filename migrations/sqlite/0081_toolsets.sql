-- The toolsets of a workspace: documents of declared tools. A row without a document is for a toolset of the operator
-- and holds only the workspace's switch and disabled tools. `disabled_tools` is a JSON list of names. The slug compares
-- by bytes, because lists of tools follow its order.
CREATE TABLE toolsets (
  workspace_id BLOB NOT NULL REFERENCES workspaces (id),
  slug TEXT NOT NULL,
  version INTEGER NOT NULL,
  document TEXT,
  digest TEXT,
  enabled INTEGER NOT NULL,
  disabled_tools TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by BLOB,
  PRIMARY KEY (workspace_id, slug)
) STRICT;

-- Incremented by every change of the workspace's toolsets, in the commit of the change.
ALTER TABLE workspaces ADD COLUMN toolset_version INTEGER NOT NULL DEFAULT 0;
