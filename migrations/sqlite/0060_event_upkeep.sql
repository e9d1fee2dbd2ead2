-- Who may add events beside an audit row, and remove old ones: SQLite has no roles, nothing is to be granted.
SELECT 1;
