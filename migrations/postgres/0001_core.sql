-- Tenants, people, credentials. Ids are UUIDs, times are microseconds since 1970, JSON is text.
-- Three roles own nothing: requests, audit batches, workers. They exist once in a cluster.
DO $$
DECLARE wanted TEXT;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['toolcrib_app', 'toolcrib_audit', 'toolcrib_worker'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN NOBYPASSRLS NOSUPERUSER', wanted);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
    EXECUTE format('GRANT %I TO CURRENT_USER', wanted);
    EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', wanted);
  END LOOP;
END $$;

CREATE FUNCTION current_workspace() RETURNS UUID LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('app.workspace_id', true), '')::uuid $$;

-- Every tenant table gets the same two walls: row level security that binds even its owner, and the same policy.
CREATE FUNCTION guard_tenant(tenant_table REGCLASS, rights TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tenant_table);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', tenant_table);
  EXECUTE format('CREATE POLICY tenant ON %s TO PUBLIC USING (workspace_id = current_workspace()) WITH CHECK (workspace_id = current_workspace())', tenant_table);
  EXECUTE format('GRANT %s ON %s TO toolcrib_app', rights, tenant_table);
END $$;

CREATE TABLE workspaces (
  id UUID NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  external_id TEXT UNIQUE,
  plan TEXT NOT NULL DEFAULT 'standard',
  approval_mode TEXT NOT NULL DEFAULT 'standard' CHECK (approval_mode IN ('standard', 'confirm_writes', 'read_only')),
  four_eyes BOOLEAN NOT NULL DEFAULT FALSE,
  agents_inherit_admin BOOLEAN NOT NULL DEFAULT FALSE,
  approve_url_template TEXT,
  write_per_minute BIGINT NOT NULL DEFAULT 10,
  read_per_minute BIGINT NOT NULL DEFAULT 600,
  external_per_minute BIGINT NOT NULL DEFAULT 60,
  default_model TEXT,
  access_version BIGINT NOT NULL DEFAULT 1,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT
);
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE workspaces FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON workspaces USING (id = current_workspace()) WITH CHECK (id = current_workspace());
GRANT SELECT, INSERT, UPDATE ON workspaces TO toolcrib_app;

CREATE TABLE users (
  id UUID NOT NULL PRIMARY KEY,
  issuer TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  display_name TEXT,
  created_at BIGINT NOT NULL,
  UNIQUE (issuer, subject)
);
GRANT SELECT, INSERT ON users TO toolcrib_app;

CREATE TABLE members (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  user_id UUID NOT NULL REFERENCES users (id),
  role TEXT NOT NULL,
  active BOOLEAN NOT NULL DEFAULT TRUE,
  display_name TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX members_by_user ON members (user_id);
SELECT guard_tenant('members', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE keys (
  workspace_id UUID NOT NULL REFERENCES workspaces (id),
  id UUID NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('agent', 'service')),
  name TEXT NOT NULL,
  secret_hash BYTEA NOT NULL,
  agent_id UUID,
  runs_as UUID,
  mission_id UUID,
  role TEXT,
  scopes TEXT NOT NULL,
  caller_types TEXT NOT NULL,
  created_by UUID,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  last_used_at BIGINT,
  PRIMARY KEY (workspace_id, id)
);
SELECT guard_tenant('keys', 'SELECT, INSERT, UPDATE');

CREATE TABLE operator_keys (
  id UUID NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  secret_hash BYTEA NOT NULL,
  scopes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
);
GRANT SELECT ON operator_keys TO toolcrib_app;

-- What must be known before a tenant is: which workspace a name or key means, and where a user is a member.
-- The functions run as a role that may look across tenants, and show no more than the answer needs.
DO $$
BEGIN
  BEGIN
    CREATE ROLE toolcrib_lookup NOLOGIN NOBYPASSRLS NOSUPERUSER;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END;
  GRANT toolcrib_lookup TO CURRENT_USER;
  GRANT USAGE, CREATE ON SCHEMA public TO toolcrib_lookup;
END $$;
GRANT SELECT ON workspaces, members, keys TO toolcrib_lookup;
CREATE POLICY lookup ON workspaces FOR SELECT TO toolcrib_lookup USING (true);
CREATE POLICY lookup ON members FOR SELECT TO toolcrib_lookup USING (true);
CREATE POLICY lookup ON keys FOR SELECT TO toolcrib_lookup USING (true);

CREATE FUNCTION workspace_by_external(wanted TEXT) RETURNS UUID
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT id FROM workspaces WHERE external_id = wanted AND deleted_at IS NULL $$;
CREATE FUNCTION memberships_of(wanted UUID)
  RETURNS TABLE (id UUID, name TEXT, external_id TEXT, plan TEXT, role TEXT, created_at BIGINT)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT w.id, w.name, w.external_id, w.plan, m.role, w.created_at
        FROM members m JOIN workspaces w ON w.id = m.workspace_id
        WHERE m.user_id = wanted AND m.active AND w.deleted_at IS NULL $$;
CREATE FUNCTION key_by_id(wanted UUID) RETURNS SETOF keys
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT * FROM keys WHERE id = wanted $$;
ALTER FUNCTION workspace_by_external(TEXT) OWNER TO toolcrib_lookup;
ALTER FUNCTION memberships_of(UUID) OWNER TO toolcrib_lookup;
ALTER FUNCTION key_by_id(UUID) OWNER TO toolcrib_lookup;
REVOKE ALL ON FUNCTION workspace_by_external(TEXT), memberships_of(UUID), key_by_id(UUID) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace_by_external(TEXT), memberships_of(UUID), key_by_id(UUID) TO toolcrib_app, toolcrib_worker;
REVOKE CREATE ON SCHEMA public FROM toolcrib_lookup;
