-- What an execution gave, as its runtime reported it.
ALTER TABLE executions ADD COLUMN output TEXT;
