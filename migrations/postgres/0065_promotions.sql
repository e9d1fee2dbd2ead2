-- Which actions have a tool of their own for a caller type or an agent, where the workspace wants others than usual:
-- {"caller_types": {"chat": [names]}, "agents": {"<id>": [names]}}.
ALTER TABLE workspaces ADD COLUMN promotions TEXT;
