-- What was repaired in the model's call, as JSON pointers: a person who decides sees it. NULL if nothing was.
ALTER TABLE confirmations ADD COLUMN repaired TEXT;
