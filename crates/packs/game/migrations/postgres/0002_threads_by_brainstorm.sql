-- The threads that a brainstorm was made of: when it is deleted, they lose its id.
CREATE INDEX game_threads_by_brainstorm ON game_threads (workspace_id, project_id, brainstorm_id) WHERE brainstorm_id IS NOT NULL;
