-- Rows of the pack for `tests/it/any_size.rs`, which has the values in braces and the views `fill_…` of scripts/lib/bench/scale/fill.sql.
-- They are additions of twenty other members.
INSERT INTO media_tracking (workspace_id, id, call_id, user_id, kind, title, year, foreign_id, library_id, created_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 40, n)), unhex(printf('%016x%016x', 41, n)), unhex(printf('%016x%016x', 42, n % 20)),
    CASE n % 2 WHEN 0 THEN 'movie' ELSE 'series' END, 'Title ' || n, 2016, CAST(n AS TEXT), n, at FROM fill_400;
