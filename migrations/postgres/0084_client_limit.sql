-- How many calls of tools that their callers run a workspace may make per minute.
ALTER TABLE workspaces ADD COLUMN client_per_minute BIGINT NOT NULL DEFAULT 120;
