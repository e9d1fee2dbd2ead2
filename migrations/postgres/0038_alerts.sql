-- Alerts that an Alertmanager delivered. `workspace_id` is the nil UUID for those that carry no workspace's label.
CREATE TABLE alerts (
  workspace_id UUID NOT NULL,
  fingerprint TEXT COLLATE "C" NOT NULL,
  starts_at BIGINT NOT NULL,
  ended_at BIGINT,
  name TEXT NOT NULL,
  severity TEXT,
  subject TEXT NOT NULL,
  summary TEXT NOT NULL,
  labels TEXT NOT NULL,
  received_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, fingerprint, starts_at)
);
CREATE INDEX alerts_by_time ON alerts (workspace_id, received_at);
SELECT guard_tenant('alerts', 'SELECT, INSERT, UPDATE, DELETE');

-- System admins look at the alerts of the whole platform, which row level security keeps from every request.
GRANT SELECT ON alerts TO toolcrib_lookup;
CREATE POLICY lookup ON alerts FOR SELECT TO toolcrib_lookup USING (true);
CREATE FUNCTION alerts_anywhere(since BIGINT, most BIGINT) RETURNS SETOF alerts
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT * FROM alerts WHERE received_at >= since ORDER BY starts_at DESC, fingerprint LIMIT most $$;
GRANT CREATE ON SCHEMA public TO toolcrib_lookup;
ALTER FUNCTION alerts_anywhere(BIGINT, BIGINT) OWNER TO toolcrib_lookup;
REVOKE CREATE ON SCHEMA public FROM toolcrib_lookup;
REVOKE ALL ON FUNCTION alerts_anywhere(BIGINT, BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION alerts_anywhere(BIGINT, BIGINT) TO toolcrib_app;
