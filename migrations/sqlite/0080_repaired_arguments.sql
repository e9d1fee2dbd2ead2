-- What was read differently from how a model wrote it: a JSON list of pointers into the arguments.
ALTER TABLE action_log ADD COLUMN repaired TEXT;
