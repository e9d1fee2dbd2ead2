-- Rows of the pack for `tests/it/any_size.rs`, which has the values in braces and the views `fill_…` of scripts/lib/bench/scale/fill.sql.
-- At size 12 nothing is beyond a limit of the pack. The oldest project has nine tenths of the rows, and its oldest thread a third of the
-- messages: any_size.rs calls these two `QUEST` and `BOSSES`. The rest belongs to other projects, so that the databases plan for many.
INSERT INTO game_projects (workspace_id, id, name, name_key, status, version, created_by, created_at, updated_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 30, n)), 'Game ' || n, 'game ' || n,
    CASE n % 2 WHEN 0 THEN 'production' ELSE 'ideation' END, 1, {user}, at, at FROM fill_10;
CREATE VIEW fill_game AS SELECT n, unhex(printf('%016x%016x', 30, CASE n % 10 WHEN 0 THEN 1 + n % (10 * {size}) ELSE 1 END)) AS project
  FROM fill;
INSERT INTO game_brainstorms (workspace_id, project_id, id, title, source, tags, bytes, created_by, created_at, content)
  SELECT {workspace}, project, unhex(printf('%016x%016x', 31, n)), 'Storm ' || n,
    CASE n % 2 WHEN 0 THEN 'discord' ELSE 'manual' END, '[]', 5, {user}, at, 'Storm' FROM fill_50 JOIN fill_game USING (n);
INSERT INTO game_systems (workspace_id, project_id, id, name, slug, status, mvp_criticality, brainstorm_id, version, created_by,
    created_at, updated_at, purpose)
  SELECT {workspace}, project, unhex(printf('%016x%016x', 32, n)), 'System ' || n, 'system-' || n,
    CASE n % 2 WHEN 0 THEN 'approved' ELSE 'draft' END, CASE n % 2 WHEN 0 THEN 'important' ELSE 'critical' END,
    unhex(printf('%016x%016x', 31, 1 + n % (50 * {size}))), 1, {user}, at, at, 'Counts shelves' FROM fill_100 JOIN fill_game USING (n);
INSERT INTO game_system_changes (workspace_id, project_id, id, system_id, system_name, kind, fields, changed_by, changed_at)
  SELECT {workspace}, project, unhex(printf('%016x%016x', 33, n)),
    unhex(printf('%016x%016x', 32, 1 + (n - 1) % (100 * {size}))), 'System', 'updated', '["purpose"]', {user}, at
    FROM fill_300 JOIN fill_game USING (n);
-- Chains of nine systems, and in the other projects one of all.
INSERT INTO game_dependencies (workspace_id, project_id, source_id, target_id, kind)
  SELECT {workspace}, project, unhex(printf('%016x%016x', 32, n)),
    unhex(printf('%016x%016x', 32, CASE n % 10 WHEN 0 THEN n - 10 * {size} ELSE n - 1 END)), 'requires'
    FROM fill_100 JOIN fill_game USING (n) WHERE n % 10 > 1 OR n % 10 = 0 AND n > 10 * {size};
INSERT INTO game_plans (workspace_id, project_id, id, version_label, label_key, title, status, created_by, created_at, finalized_by,
    finalized_at, sha256, snapshot)
  SELECT {workspace}, project, unhex(printf('%016x%016x', 34, n)), 'Plan ' || n, 'plan ' || n, 'Plan',
    CASE n % 2 WHEN 0 THEN 'finalized' ELSE 'draft' END, {user}, at, CASE n % 2 WHEN 0 THEN {user} END, CASE n % 2 WHEN 0 THEN at END,
    CASE n % 2 WHEN 0 THEN '00' END, CASE n % 2 WHEN 0 THEN '{}' END FROM fill_10 JOIN fill_game USING (n);
INSERT INTO game_plan_systems (workspace_id, project_id, plan_id, system_id)
  SELECT {workspace}, project, unhex(printf('%016x%016x', 34, 1 + (n - 1) % (10 * {size}))),
    unhex(printf('%016x%016x', 32, n)) FROM fill_100 JOIN fill_game USING (n);
INSERT INTO game_threads (workspace_id, project_id, id, title, message_count, last_message_at, brainstorm_id, created_by, created_at)
  SELECT {workspace}, project, unhex(printf('%016x%016x', 35, n)), 'Thread ' || n,
    CASE WHEN n = 1 THEN 1 + 100 * {size} ELSE 1 END, at, unhex(printf('%016x%016x', 31, 1 + n % (50 * {size}))), {user}, at
    FROM fill_200 JOIN fill_game USING (n);
INSERT INTO game_messages (workspace_id, project_id, thread_id, id, created_by, created_at, content)
  SELECT {workspace}, project, unhex(printf('%016x%016x', 35, n)), unhex(printf('%016x%016x', 36, n)), {user},
    at, 'Ovens' FROM fill_200 JOIN fill_game USING (n);
INSERT INTO game_messages (workspace_id, project_id, thread_id, id, created_by, created_at, content)
  SELECT {workspace}, unhex(printf('%016x%016x', 30, 1)), unhex(printf('%016x%016x', 35, 1)), unhex(printf('%016x%016x', 38, n)), {user},
    at, 'Ovens' FROM fill_100;
INSERT INTO game_thread_reads (workspace_id, project_id, thread_id, reader_id, message_at, message_id)
  SELECT {workspace}, project, unhex(printf('%016x%016x', 35, n)), unhex(printf('%016x%016x', 1, 1)), at,
    unhex(printf('%016x%016x', 36, n)) FROM fill_200 JOIN fill_game USING (n);
INSERT INTO game_exports (workspace_id, project_id, id, kind, format, title, bytes, created_by, created_at, content)
  SELECT {workspace}, project, unhex(printf('%016x%016x', 37, n)), 'gdd', 'markdown', 'Design', 6, {user}, at,
    'Design' FROM fill_10 JOIN fill_game USING (n);
DROP VIEW fill_game;
