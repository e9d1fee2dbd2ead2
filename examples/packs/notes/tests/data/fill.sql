-- Rows of the pack for `tests/it/any_size.rs`, which has the values in braces and the views `fill_…` of scripts/lib/bench/scale/fill.sql.
INSERT INTO notes_notes (workspace_id, id, text, created_at)
  SELECT {workspace}, unhex(printf('%016x%016x', 50, n)), 'Note ' || n, at FROM fill_400;
