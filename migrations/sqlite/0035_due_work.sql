-- What falls due is found across workspaces. SQLite has no roles: nothing is to be granted.
SELECT 1;
