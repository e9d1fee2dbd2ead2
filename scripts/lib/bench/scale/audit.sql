-- Adds an audit row for each row (n, at) of what `numbers` stands for. A tenth are writes and a hundredth refusals.
INSERT INTO action_log (workspace_id, id, occurred_at, kind, action, permission_level, via, surface, principal_kind, principal_id,
    user_id, role, system_admin, caller_type, decision, granted_by, always_allow, arguments, target, error_code, outcome, duration_ms,
    request_id)
  SELECT {workspace}, unhex(printf('%016x%016x', 21, n)), at, 'call',
    CASE WHEN n % 10 = 0 THEN 'platform_create_task' ELSE 'platform_list_tasks' END,
    CASE WHEN n % 10 = 0 THEN 'write' ELSE 'read' END, 'direct', 'rest', 'user', {user}, {user}, 'owner', FALSE, 'console',
    CASE WHEN n % 100 = 1 THEN 'denied' ELSE 'auto_allowed' END, NULL, FALSE, '{}', NULL,
    CASE WHEN n % 100 = 1 THEN 'permission_denied' END, CASE WHEN n % 100 = 1 THEN 'not_run' ELSE 'succeeded' END, 1, 'filled ' || n
    FROM {numbers};
