-- `audience` is `admins` or `user`. `user_id` is whom a notification of one's own is for: a user, an agent or a key.
-- `except_user_id` is the one admin whom it does not concern.
ALTER TABLE notifications ADD COLUMN except_user_id UUID;
CREATE INDEX notifications_by_time ON notifications (workspace_id, created_at, id);
-- Whoever keeps house removes old ones.
GRANT DELETE ON notifications TO toolcrib_worker;
GRANT SELECT, DELETE ON notification_reads TO toolcrib_worker;
CREATE POLICY workers ON notification_reads TO toolcrib_worker USING (true) WITH CHECK (true);
