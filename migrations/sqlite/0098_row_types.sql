-- SQLite has no types of rows.
SELECT 1;
