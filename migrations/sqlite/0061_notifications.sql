-- `audience` is `admins` or `user`. `user_id` is whom a notification of one's own is for: a user, an agent or a key.
-- `except_user_id` is the one admin whom it does not concern.
ALTER TABLE notifications ADD COLUMN except_user_id BLOB;
CREATE INDEX notifications_by_time ON notifications (workspace_id, created_at, id);
