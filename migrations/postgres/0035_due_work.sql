-- What falls due is found across workspaces, on these tables only; what it brings about is written inside the workspace
-- that it belongs to, behind the same wall as a request.
GRANT SELECT (workspace_id, id, name, slug, status) ON agents TO toolcrib_worker;
CREATE POLICY workers ON agents FOR SELECT TO toolcrib_worker USING (true);
GRANT SELECT ON playbooks TO toolcrib_worker;
GRANT UPDATE (next_run_at) ON playbooks TO toolcrib_worker;
CREATE POLICY workers ON playbooks TO toolcrib_worker USING (true) WITH CHECK (true);
GRANT SELECT ON playbook_steps TO toolcrib_worker;
GRANT SELECT, INSERT ON executions TO toolcrib_worker;
GRANT INSERT ON execution_steps TO toolcrib_worker;
