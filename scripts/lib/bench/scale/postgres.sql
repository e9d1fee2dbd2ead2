-- Functions of SQLite that fill.sql uses.
CREATE FUNCTION printf(format TEXT, kind BIGINT, number BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE
  AS $$ SELECT lpad(to_hex(kind), 16, '0') || lpad(to_hex(number), 16, '0') $$;
CREATE FUNCTION unhex(digits TEXT) RETURNS UUID LANGUAGE sql IMMUTABLE AS $$ SELECT CAST(digits AS UUID) $$;
