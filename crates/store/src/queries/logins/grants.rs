//! Gives a login exactly the privileges that a role has in this database.

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::backend::StoreError;

/// Serializes processes that migrate at the same time.
const LOCK: &str = "SELECT pg_advisory_xact_lock(8389772276739563620)";

/// Selects the statements that make the login's privileges equal to the role's: on tables, sequences,
/// columns, functions and the schema. Selects nothing if the privileges are equal, so that no lock is taken
/// beside a running service.
const RIGHTS: &str = "WITH acl AS ( \
    SELECT x.grantee, format('%s ON %s public.%I', x.privilege_type, \
      CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relname) AS what \
    FROM pg_class c, aclexplode(c.relacl) x \
    WHERE c.relnamespace = CAST('public' AS regnamespace) AND c.relkind IN ('r', 'p', 'v', 'm', 'S') \
    UNION ALL SELECT x.grantee, format('%s (%I) ON TABLE public.%I', x.privilege_type, a.attname, c.relname) \
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid, aclexplode(a.attacl) x \
    WHERE c.relnamespace = CAST('public' AS regnamespace) AND NOT a.attisdropped \
    UNION ALL SELECT x.grantee, format('%s ON FUNCTION %s', x.privilege_type, CAST(p.oid AS regprocedure)) \
    FROM pg_proc p, aclexplode(p.proacl) x WHERE p.pronamespace = CAST('public' AS regnamespace) \
    UNION ALL SELECT x.grantee, format('%s ON SCHEMA public', x.privilege_type) \
    FROM pg_namespace n, aclexplode(n.nspacl) x WHERE n.nspname = 'public'), \
    wanted AS (SELECT what FROM acl WHERE grantee = (SELECT oid FROM pg_roles WHERE rolname = $1)), \
    held AS (SELECT what FROM acl WHERE grantee = (SELECT oid FROM pg_roles WHERE rolname = $2)) \
    SELECT format('REVOKE %s FROM %I', what, $2) FROM (SELECT what FROM held EXCEPT SELECT what FROM wanted) old \
    UNION ALL \
    SELECT format('GRANT %s TO %I', what, $2) FROM (SELECT what FROM wanted EXCEPT SELECT what FROM held) new \
    ORDER BY 1 DESC";

/// Selects the statements that add the login to each policy that names the role.
const POLICIES: &str = "SELECT format('ALTER POLICY %I ON public.%I TO %s', policyname, tablename, \
    (SELECT string_agg(quote_ident(each), ', ') FROM unnest(roles || CAST($2 AS name)) each)) \
    FROM pg_policies WHERE schemaname = 'public' AND CAST($1 AS name) = ANY(roles) \
    AND NOT CAST($2 AS name) = ANY(roles) ORDER BY tablename, policyname";

/// Whether a name is one of the roles that the schema creates.
pub fn is_role(name: &str) -> bool {
    matches!(name, "toolcrib_app" | "toolcrib_audit" | "toolcrib_worker" | "toolcrib_lookup")
}

/// Grants `login` the privileges that `role` has, and revokes all others.
pub async fn give(conn: &mut PgConnection, role: &str, login: &str) -> Result<(), StoreError> {
    let mut tx = conn.begin().await?;
    tx.execute(LOCK).await?;
    for list in [RIGHTS, POLICIES] {
        let statements: Vec<String> =
            sqlx::query_scalar(list).bind(role).bind(login).fetch_all(&mut *tx).await?;
        for sql in statements {
            tx.execute(AssertSqlSafe(sql)).await?;
        }
    }
    // The operator decides who may connect. If PUBLIC may not, the login needs the privilege.
    let connect: Option<String> = sqlx::query_scalar(
        "SELECT format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), CAST($1 AS TEXT)) \
         WHERE NOT has_database_privilege($1, current_database(), 'CONNECT')",
    )
    .bind(login)
    .fetch_optional(&mut *tx)
    .await?;
    if let Some(sql) = connect {
        tx.execute(AssertSqlSafe(sql)).await?;
    }
    tx.commit().await?;
    Ok(())
}
