-- Fills one workspace; the same text for SQLite and for PostgreSQL after postgres.sql. What fills replaces {workspace}, {user},
-- {now} (microseconds) and {size}: 100 makes 40,000 agents, 27,000 tasks, 25,000 memories, 21,000 documents, 30,000 missions and
-- 200,000 audit rows. Each table's rows come one after another, as the product writes them, through 28 days.
CREATE TABLE fill (n BIGINT PRIMARY KEY);
INSERT INTO fill WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000 * {size}) SELECT n FROM numbers;
CREATE VIEW fill_10 AS SELECT n, {now} - 60000000 - (10 * {size} - n) * (2419200000000 / (10 * {size})) AS at FROM fill WHERE n <= 10 * {size};
CREATE VIEW fill_50 AS SELECT n, {now} - 60000000 - (50 * {size} - n) * (2419200000000 / (50 * {size})) AS at FROM fill WHERE n <= 50 * {size};
CREATE VIEW fill_100 AS SELECT n, {now} - 60000000 - (100 * {size} - n) * (2419200000000 / (100 * {size})) AS at FROM fill WHERE n <= 100 * {size};
CREATE VIEW fill_200 AS SELECT n, {now} - 60000000 - (200 * {size} - n) * (2419200000000 / (200 * {size})) AS at FROM fill WHERE n <= 200 * {size};
CREATE VIEW fill_210 AS SELECT n, {now} - 60000000 - (210 * {size} - n) * (2419200000000 / (210 * {size})) AS at FROM fill WHERE n <= 210 * {size};
CREATE VIEW fill_250 AS SELECT n, {now} - 60000000 - (250 * {size} - n) * (2419200000000 / (250 * {size})) AS at FROM fill WHERE n <= 250 * {size};
CREATE VIEW fill_270 AS SELECT n, {now} - 60000000 - (270 * {size} - n) * (2419200000000 / (270 * {size})) AS at FROM fill WHERE n <= 270 * {size};
CREATE VIEW fill_300 AS SELECT n, {now} - 60000000 - (300 * {size} - n) * (2419200000000 / (300 * {size})) AS at FROM fill WHERE n <= 300 * {size};
CREATE VIEW fill_400 AS SELECT n, {now} - 60000000 - (400 * {size} - n) * (2419200000000 / (400 * {size})) AS at FROM fill WHERE n <= 400 * {size};
CREATE VIEW fill_500 AS SELECT n, {now} - 60000000 - (500 * {size} - n) * (2419200000000 / (500 * {size})) AS at FROM fill WHERE n <= 500 * {size};
CREATE VIEW fill_2000 AS SELECT n, {now} - 60000000 - (2000 * {size} - n) * (2419200000000 / (2000 * {size})) AS at FROM fill WHERE n <= 2000 * {size};

INSERT INTO agents (workspace_id, id, name, name_key, slug, role, model, status, description, system_prompt, temperature, tags,
    version, created_by, created_at, updated_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 1, n)), 'Filled ' || n, 'filled ' || n, 'filled-' || n, 'worker',
    CASE n % 3 WHEN 0 THEN 'gpt-4o-mini' WHEN 1 THEN 'gpt-4o' ELSE 'claude-haiku-4-5' END,
    CASE WHEN n % 10 = 0 THEN 'inactive' ELSE 'active' END, 'Counts parcels of shelf ' || (n % 500),
    CASE WHEN n % 4 = 0 THEN NULL ELSE 'Count twice.' END, NULL, CASE n % 2 WHEN 0 THEN '["parcels"]' ELSE '["parcels","shelves"]' END,
    1, {user}, at, at FROM fill_400;

INSERT INTO tasks (workspace_id, id, title, description, priority, status, agent_id, parent_id, tags, due_at, version, created_by,
    created_at, updated_at, done_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 2, n)), 'Count shelf ' || n, 'Count each parcel',
    CASE n % 4 WHEN 0 THEN 'urgent' WHEN 1 THEN 'high' WHEN 2 THEN 'medium' ELSE 'low' END,
    CASE n % 6 WHEN 0 THEN 'inbox' WHEN 1 THEN 'assigned' WHEN 2 THEN 'in_progress' WHEN 3 THEN 'review' WHEN 4 THEN 'blocked'
      ELSE 'done' END,
    CASE WHEN n % 6 = 0 THEN NULL ELSE unhex(printf('%016x%016x', 1, 1 + n % 400)) END, NULL, '[]',
    CASE WHEN n % 5 = 0 THEN at + 864000000000 END, 1, {user}, at, at, CASE WHEN n % 6 = 5 THEN at + 3600000000 END
    FROM fill_270;
INSERT INTO task_history (workspace_id, id, task_id, event, from_status, to_status, agent_id, note, actor_kind, actor_id, occurred_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 3, n)), unhex(printf('%016x%016x', 2, n)), 'created', NULL, 'inbox', NULL, NULL,
    'user', {user}, at FROM fill_270;
INSERT INTO task_history (workspace_id, id, task_id, event, from_status, to_status, agent_id, note, actor_kind, actor_id, occurred_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 4, n)), unhex(printf('%016x%016x', 2, n)), 'moved', 'inbox', 'done', NULL, NULL,
    'user', {user}, at + 3600000000 FROM fill_270 WHERE n % 6 = 5;

INSERT INTO memories (workspace_id, id, agent_id, kind, content, content_hash, tokens, tags, version, created_by, created_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 5, n)), unhex(printf('%016x%016x', 1, 1 + n % 400)), 'note',
    'What cartons of shelf w' || (n % 997) || ' cost', CAST(n AS TEXT), 'what carton of shelf w' || (n % 997) || ' cost',
    CASE WHEN n % 20 = 0 THEN '["cartons"]' ELSE '["shelves"]' END, 1, {user}, at FROM fill_250;
INSERT INTO documents (workspace_id, id, title, title_key, content, source_url, tags, status, error, bytes, passages, version,
    created_by, created_at, updated_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 6, n)), 'Policy ' || n, 'policy ' || n, 'How many jars a carton of shelf holds', NULL,
    '[]', 'indexed', NULL, 40, 1, 1, {user}, at, at FROM fill_210;
INSERT INTO chunks (workspace_id, id, document_id, position, content, tokens, created_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 7, n)), unhex(printf('%016x%016x', 6, n)), 0,
    'How many jars a carton of shelf w' || (n % 997) || ' holds', 'how many jar a carton of shelf w' || (n % 997) || ' hold', at
    FROM fill_210;
INSERT INTO messages (workspace_id, id, occurred_at, chat_id, user_id, agent_id, role, text, tokens)
  SELECT {workspace}, unhex(printf('%016x%016x', 8, n)), at, 'filled ' || (n / 10), {user}, NULL, 'user',
    'Where is parcel w' || (n % 997), 'where is parcel w' || (n % 997) FROM fill_200;

INSERT INTO missions (workspace_id, id, goal, state, max_cost_microusd, max_tokens, alert_at_percent, reason, version, created_by,
    created_at, updated_at, started_at, finished_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 9, n)), 'Count hall ' || n,
    CASE n % 3 WHEN 0 THEN 'running' WHEN 1 THEN 'completed' ELSE 'cancelled' END, NULL, NULL, 80, NULL, 1, {user}, at, at, at,
    CASE WHEN n % 3 = 0 THEN NULL ELSE at + 3600000000 END FROM fill_300;
INSERT INTO mission_tasks (workspace_id, id, mission_id, position, title, description, agent_id, status, depends_on, created_at,
    updated_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 10, n)), unhex(printf('%016x%016x', 9, n)), 0, 'Count', NULL,
    unhex(printf('%016x%016x', 1, 1 + n % 400)), 'open', '[]', at, at FROM fill_300;
-- The walkthrough asks for the field of the demo's mission, which gets a hundredth of the entries.
INSERT INTO field_entries (workspace_id, id, mission_id, key, value, tokens, strength, reinforced_at, version, created_by, created_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 11, n)), unhex(printf('%016x%016x', 9, 1 + n % (20 * {size}))), 'offer ' || n,
    'cheapest offer of w' || (n % 997), 'cheapest offer of w' || (n % 997), 0.5, at, 1, {user}, at FROM fill_200;
INSERT INTO field_writes (workspace_id, id, mission_id, entry_id, changed, written_by, written_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 12, n)), unhex(printf('%016x%016x', 9, 1 + n % (20 * {size}))),
    unhex(printf('%016x%016x', 11, n)), TRUE, {user}, at FROM fill_200;

INSERT INTO playbooks (workspace_id, id, name, name_key, description, tags, status, cron, timezone, next_run_at, max_retries,
    step_timeout_s, version, created_by, created_at, updated_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 13, n)), 'Round ' || n, 'round ' || n, 'Counts', '[]', 'active', NULL, NULL, NULL, 0,
    600, 1, {user}, at, at FROM fill_50;
INSERT INTO playbook_steps (workspace_id, playbook_id, position, prompt, agent_id, on_error, output_key)
  SELECT {workspace}, unhex(printf('%016x%016x', 13, n)), 0, 'Count', unhex(printf('%016x%016x', 1, 1 + n % 400)), 'stop', NULL
    FROM fill_50;
INSERT INTO executions (workspace_id, id, playbook_id, playbook_name, agent_id, status, input, error, requested_by_kind, requested_by,
    created_at, started_at, finished_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 14, n)), unhex(printf('%016x%016x', 13, 1 + n % 50)), 'Round ' || (1 + n % 50),
    unhex(printf('%016x%016x', 1, 1 + n % 400)), CASE WHEN n % 9 = 0 THEN 'failed' ELSE 'completed' END, NULL,
    CASE WHEN n % 9 = 0 THEN 'no parcel' END, 'user', {user}, at, at + 1000000, at + 61000000 FROM fill_200;
INSERT INTO execution_steps (workspace_id, execution_id, position, prompt, agent_id, on_error, output_key, status, output, error,
    started_at, finished_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 14, n)), 0, 'Count', unhex(printf('%016x%016x', 1, 1 + n % 400)), 'stop', NULL,
    CASE WHEN n % 9 = 0 THEN 'failed' ELSE 'completed' END, NULL, NULL, at + 1000000, at + 61000000 FROM fill_200;
INSERT INTO llm_usage (workspace_id, id, occurred_at, agent_id, execution_id, mission_id, model, provider, input_tokens, output_tokens,
    cost_microusd)
  SELECT {workspace}, unhex(printf('%016x%016x', 15, n)), at, unhex(printf('%016x%016x', 1, 1 + n % 400)),
    unhex(printf('%016x%016x', 14, 1 + n % (200 * {size}))), unhex(printf('%016x%016x', 9, 1 + n % (20 * {size}))),
    CASE n % 3 WHEN 0 THEN 'gpt-4o-mini' WHEN 1 THEN 'gpt-4o' ELSE 'claude-haiku-4-5' END,
    CASE n % 3 WHEN 2 THEN 'anthropic' ELSE 'openai' END, 1000, 100, 1500 FROM fill_400;
INSERT INTO heartbeat_runs (workspace_id, id, occurred_at, agent_id, status, note)
  SELECT {workspace}, unhex(printf('%016x%016x', 16, n)), at, unhex(printf('%016x%016x', 1, 1 + n % 400)), 'ok', NULL
    FROM fill_100;

INSERT INTO blueprints (workspace_id, id, name, name_key, description, rules, default_slot, version, created_by, created_at, updated_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 17, n)), 'Rules ' || n, 'rules ' || n, NULL,
    '{"require_system_prompt":true,"required_tags":["parcels"]}', NULL, 1, {user}, at, at FROM fill_10;
INSERT INTO schedules (workspace_id, id, kind, description, due, timezone, agent_id, status, max_runs, runs, next_at, last_at, version,
    created_by, created_at, updated_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 18, n)), 'recurring', 'Count', '0 8 * * 1', 'Europe/Berlin',
    unhex(printf('%016x%016x', 1, 1 + n % 400)), CASE WHEN n <= 10 THEN 'active' ELSE 'completed' END, NULL, 0,
    CASE WHEN n <= 10 THEN {now} + 86400000000 + n END, NULL, 1, {user}, at, at
    FROM fill_50;
INSERT INTO reports (workspace_id, id, agent_id, agent_name, title, content, kind, status, summary, metrics, created_by, created_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 19, n)), unhex(printf('%016x%016x', 1, 1 + n % 400)), 'Filled ' || (1 + n % 400),
    'Count', 'Counted', 'research', 'ok', NULL, NULL, {user}, at FROM fill_50;
INSERT INTO events (workspace_id, id, name, kind, session, user_id, permission, data, occurred_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 20, n)), CASE n % 2 WHEN 0 THEN 'task.created' ELSE 'mission.created' END, 'domain',
    NULL, {user}, CASE n % 2 WHEN 0 THEN 'tasks:read' ELSE 'missions:read' END, '{"title":"Count"}', at FROM fill_500;
{audit}
DROP VIEW fill_10;
DROP VIEW fill_50;
DROP VIEW fill_100;
DROP VIEW fill_200;
DROP VIEW fill_210;
DROP VIEW fill_250;
DROP VIEW fill_270;
DROP VIEW fill_300;
DROP VIEW fill_400;
DROP VIEW fill_500;
DROP VIEW fill_2000;
DROP TABLE fill;
