-- Who may set a user's display name: SQLite has no roles, nothing is to be granted.
SELECT 1;
