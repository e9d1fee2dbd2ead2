-- What needed the owner's login while the service runs: looking at tables that have grown, so that plans fit them. Tables that
-- were never looked at, or are four times as large since, up to 64 MiB; `relpages` is the size at the last look, in blocks
-- of 8 KiB. Other processes may be at the same table: one look is enough.
CREATE FUNCTION refresh_plans() RETURNS BIGINT
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
DECLARE grown TEXT[];
BEGIN
  SELECT array_agg(format('%I.%I', n.nspname, c.relname) ORDER BY c.relname) INTO grown
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind = 'r'
      AND pg_relation_size(c.oid) > greatest(c.relpages, 0)::bigint * 4 * 8192
      AND pg_relation_size(c.oid) <= 67108864;
  IF grown IS NULL THEN
    RETURN 0;
  END IF;
  EXECUTE 'ANALYZE (SKIP_LOCKED) ' || array_to_string(grown, ', ');
  RETURN cardinality(grown);
END $$;
REVOKE ALL ON FUNCTION refresh_plans() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION refresh_plans() TO toolcrib_worker;

-- A service that can't migrate says so, instead of failing later.
GRANT SELECT ON _sqlx_migrations TO toolcrib_app;
