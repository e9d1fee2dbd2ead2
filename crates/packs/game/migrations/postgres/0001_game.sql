-- The tables of the pack `game` on PostgreSQL. `migrations/sqlite/0001_game.sql` has the same tables and columns. Everything
-- belongs to a project, so that the project is part of each key: a row can't refer to one of another project.
--
-- Ids are UUIDs (version 7), times are microseconds since 1970, and JSON is text. Who made a row is a user, an agent or a key.

-- A project: a game. Names are unique in a workspace regardless of case.
CREATE TABLE game_projects (
  workspace_id UUID NOT NULL,
  id UUID NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  description TEXT,
  genre TEXT,
  platform TEXT,
  status TEXT NOT NULL CHECK (status IN ('ideation', 'pre_production', 'production', 'live', 'archived')),
  version BIGINT NOT NULL,
  created_by UUID NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, id),
  UNIQUE (workspace_id, name_key)
);
-- The list of projects.
CREATE INDEX game_projects_by_time ON game_projects (workspace_id, created_at, id);
SELECT guard_tenant('game_projects', 'SELECT, INSERT, UPDATE, DELETE');

-- A system of a project. `brainstorm_id` is the brainstorm that it was made from, as long as that exists. The long texts come
-- last, so that reading the others does not touch them.
CREATE TABLE game_systems (
  workspace_id UUID NOT NULL,
  project_id UUID NOT NULL,
  id UUID NOT NULL,
  name TEXT NOT NULL,
  slug TEXT COLLATE "C" NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'review', 'approved', 'implemented', 'deprecated')),
  mvp_criticality TEXT NOT NULL CHECK (mvp_criticality IN ('critical', 'important', 'nice_to_have', 'post_mvp')),
  brainstorm_id UUID,
  version BIGINT NOT NULL,
  created_by UUID NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  purpose TEXT,
  current_state TEXT,
  target_state TEXT,
  core_mechanics TEXT,
  inputs TEXT,
  outputs TEXT,
  failure_states TEXT,
  scaling_behavior TEXT,
  implementation_notes TEXT,
  open_questions TEXT,
  PRIMARY KEY (workspace_id, project_id, id),
  UNIQUE (workspace_id, project_id, slug),
  FOREIGN KEY (workspace_id, project_id) REFERENCES game_projects (workspace_id, id)
);
-- The list of systems.
CREATE INDEX game_systems_by_time ON game_systems (workspace_id, project_id, created_at, id);
-- The systems that were made from a brainstorm.
CREATE INDEX game_systems_by_brainstorm ON game_systems (workspace_id, project_id, brainstorm_id)
  WHERE brainstorm_id IS NOT NULL;
SELECT guard_tenant('game_systems', 'SELECT, INSERT, UPDATE, DELETE');

-- A change of a system or of its dependencies. It stays when the system is deleted, with the name that the system had.
-- `fields` is a JSON list of names.
CREATE TABLE game_system_changes (
  workspace_id UUID NOT NULL,
  project_id UUID NOT NULL,
  id UUID NOT NULL,
  system_id UUID NOT NULL,
  system_name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('created', 'imported', 'updated', 'deleted', 'dependency_added', 'dependency_removed')),
  summary TEXT,
  fields TEXT NOT NULL,
  changed_by UUID NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, project_id, id),
  FOREIGN KEY (workspace_id, project_id) REFERENCES game_projects (workspace_id, id)
);
-- The last changes of a system.
CREATE INDEX game_system_changes_by_system ON game_system_changes (workspace_id, project_id, system_id, changed_at, id);
-- The activity of a project.
CREATE INDEX game_system_changes_by_time ON game_system_changes (workspace_id, project_id, changed_at, id);
SELECT guard_tenant('game_system_changes', 'SELECT, INSERT, UPDATE, DELETE');

-- A dependency: the source builds on the target. Dependencies of kind `requires` form no cycle.
CREATE TABLE game_dependencies (
  workspace_id UUID NOT NULL,
  project_id UUID NOT NULL,
  source_id UUID NOT NULL,
  target_id UUID NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('requires', 'enhances', 'optional')),
  PRIMARY KEY (workspace_id, project_id, source_id, target_id),
  FOREIGN KEY (workspace_id, project_id, source_id) REFERENCES game_systems (workspace_id, project_id, id),
  FOREIGN KEY (workspace_id, project_id, target_id) REFERENCES game_systems (workspace_id, project_id, id),
  CHECK (source_id <> target_id)
);
-- The dependents of a system, and the whole graph of a project, which read no table.
CREATE INDEX game_dependencies_by_target ON game_dependencies (workspace_id, project_id, target_id, source_id, kind);
SELECT guard_tenant('game_dependencies', 'SELECT, INSERT, UPDATE, DELETE');

-- A brainstorm, which never changes. `author` is a label that the caller gave; `tags` is a JSON list.
CREATE TABLE game_brainstorms (
  workspace_id UUID NOT NULL,
  project_id UUID NOT NULL,
  id UUID NOT NULL,
  title TEXT NOT NULL,
  author TEXT,
  source TEXT NOT NULL CHECK (source IN ('manual', 'discord', 'upload', 'idea-stream')),
  tags TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  created_by UUID NOT NULL,
  created_at BIGINT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (workspace_id, project_id, id),
  FOREIGN KEY (workspace_id, project_id) REFERENCES game_projects (workspace_id, id)
);
-- The list of brainstorms, and their size together, which is limited.
CREATE INDEX game_brainstorms_by_time ON game_brainstorms (workspace_id, project_id, created_at, id, bytes);
SELECT guard_tenant('game_brainstorms', 'SELECT, INSERT, UPDATE, DELETE');

-- A plan of a version. Labels are unique in a project regardless of case. A finalized plan has a snapshot: a JSON object with its
-- systems, their dependencies and their order, and its SHA-256 in hexadecimal digits.
CREATE TABLE game_plans (
  workspace_id UUID NOT NULL,
  project_id UUID NOT NULL,
  id UUID NOT NULL,
  version_label TEXT NOT NULL,
  label_key TEXT COLLATE "C" NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL CHECK (status IN ('draft', 'finalized')),
  created_by UUID NOT NULL,
  created_at BIGINT NOT NULL,
  finalized_by UUID,
  finalized_at BIGINT,
  sha256 TEXT,
  snapshot TEXT,
  PRIMARY KEY (workspace_id, project_id, id),
  UNIQUE (workspace_id, project_id, label_key),
  FOREIGN KEY (workspace_id, project_id) REFERENCES game_projects (workspace_id, id),
  CHECK ((status = 'finalized') = (snapshot IS NOT NULL) AND (snapshot IS NULL) = (finalized_at IS NULL)
    AND (snapshot IS NULL) = (sha256 IS NULL))
);
-- The list of plans.
CREATE INDEX game_plans_by_time ON game_plans (workspace_id, project_id, created_at, id);
-- The finalized plans in the activity of a project.
CREATE INDEX game_plans_by_finalization ON game_plans (workspace_id, project_id, finalized_at, id) WHERE finalized_at IS NOT NULL;
SELECT guard_tenant('game_plans', 'SELECT, INSERT, UPDATE, DELETE');

-- A system in the scope of a plan.
CREATE TABLE game_plan_systems (
  workspace_id UUID NOT NULL,
  project_id UUID NOT NULL,
  plan_id UUID NOT NULL,
  system_id UUID NOT NULL,
  PRIMARY KEY (workspace_id, project_id, plan_id, system_id),
  FOREIGN KEY (workspace_id, project_id, plan_id) REFERENCES game_plans (workspace_id, project_id, id),
  FOREIGN KEY (workspace_id, project_id, system_id) REFERENCES game_systems (workspace_id, project_id, id)
);
-- The plans that hold a system.
CREATE INDEX game_plan_systems_by_system ON game_plan_systems (workspace_id, project_id, system_id, plan_id);
SELECT guard_tenant('game_plan_systems', 'SELECT, INSERT, UPDATE, DELETE');

-- A thread of ideas. `brainstorm_id` is the brainstorm that was made of it last.
CREATE TABLE game_threads (
  workspace_id UUID NOT NULL,
  project_id UUID NOT NULL,
  id UUID NOT NULL,
  title TEXT,
  message_count BIGINT NOT NULL,
  last_message_at BIGINT NOT NULL,
  brainstorm_id UUID,
  created_by UUID NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, project_id, id),
  FOREIGN KEY (workspace_id, project_id) REFERENCES game_projects (workspace_id, id)
);
-- The list of threads.
CREATE INDEX game_threads_by_time ON game_threads (workspace_id, project_id, created_at, id);
SELECT guard_tenant('game_threads', 'SELECT, INSERT, UPDATE, DELETE');

-- A message of a thread, or a reply to one of the same thread.
CREATE TABLE game_messages (
  workspace_id UUID NOT NULL,
  project_id UUID NOT NULL,
  thread_id UUID NOT NULL,
  id UUID NOT NULL,
  parent_id UUID,
  created_by UUID NOT NULL,
  created_at BIGINT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (workspace_id, project_id, thread_id, id),
  FOREIGN KEY (workspace_id, project_id, thread_id) REFERENCES game_threads (workspace_id, project_id, id)
);
-- The messages of a thread, and the number of those that others wrote after a time, which reads no table.
CREATE INDEX game_messages_by_time ON game_messages (workspace_id, project_id, thread_id, created_at, id, created_by);
SELECT guard_tenant('game_messages', 'SELECT, INSERT, UPDATE, DELETE');

-- How far a user, an agent or a key has read a thread: up to the message with this time and id.
CREATE TABLE game_thread_reads (
  workspace_id UUID NOT NULL,
  project_id UUID NOT NULL,
  thread_id UUID NOT NULL,
  reader_id UUID NOT NULL,
  message_at BIGINT NOT NULL,
  message_id UUID NOT NULL,
  PRIMARY KEY (workspace_id, project_id, thread_id, reader_id),
  FOREIGN KEY (workspace_id, project_id, thread_id) REFERENCES game_threads (workspace_id, project_id, id)
);
SELECT guard_tenant('game_thread_reads', 'SELECT, INSERT, UPDATE, DELETE');

-- An exported document.
CREATE TABLE game_exports (
  workspace_id UUID NOT NULL,
  project_id UUID NOT NULL,
  id UUID NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('gdd', 'version_prd', 'system_doc', 'roadmap', 'prompt_bundle')),
  format TEXT NOT NULL CHECK (format IN ('markdown', 'json')),
  title TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  created_by UUID NOT NULL,
  created_at BIGINT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (workspace_id, project_id, id),
  FOREIGN KEY (workspace_id, project_id) REFERENCES game_projects (workspace_id, id)
);
-- The list of exports, and their size together, which is limited.
CREATE INDEX game_exports_by_time ON game_exports (workspace_id, project_id, created_at, id, bytes);
SELECT guard_tenant('game_exports', 'SELECT, INSERT, UPDATE, DELETE');
