-- The definitions of the tools that an MCP server listed, as it gave them. `upstream` is the upstream as in
-- `upstream_secrets`. `digest` covers name, text and schemas, `schema_digest` the schemas alone. At most one definition of a
-- tool is the current one: without one, the server does not list the tool. `seen_at` is when the definition last became the
-- current one.
CREATE TABLE upstream_tools (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  upstream TEXT COLLATE "C" NOT NULL,
  tool TEXT COLLATE "C" NOT NULL,
  digest TEXT COLLATE "C" NOT NULL,
  schema_digest TEXT NOT NULL,
  definition TEXT NOT NULL,
  is_current BOOLEAN NOT NULL,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, upstream, tool, digest)
);
CREATE UNIQUE INDEX upstream_tools_current ON upstream_tools (workspace_id, upstream, tool) WHERE is_current;
SELECT guard_tenant('upstream_tools', 'SELECT, INSERT, UPDATE, DELETE');
