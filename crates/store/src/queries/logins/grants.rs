//! Gives a login what a role has in this database, no more and no less.

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::backend::StoreError;

/// Two processes may migrate at once.
const LOCK: &str = "SELECT pg_advisory_xact_lock(8389772276739563620)";

/// The statements that make the login's rights those of the role: on tables, sequences, columns, functions and the schema.
/// Where nothing differs there is no statement, so that nothing is locked beside a running service.
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

/// The statements that name the login in each policy which names the role.
const POLICIES: &str = "SELECT format('ALTER POLICY %I ON public.%I TO %s', policyname, tablename, \
    (SELECT string_agg(quote_ident(each), ', ') FROM unnest(roles || CAST($2 AS name)) each)) \
    FROM pg_policies WHERE schemaname = 'public' AND CAST($1 AS name) = ANY(roles) \
    AND NOT CAST($2 AS name) = ANY(roles) ORDER BY tablename, policyname";

/// Whether a name is one of the roles that migrations make.
pub fn is_role(name: &str) -> bool {
    matches!(name, "toolcrib_app" | "toolcrib_audit" | "toolcrib_worker" | "toolcrib_lookup")
}

/// Gives `login` what `role` has, and takes what it does not have.
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
    // Who may connect is the operator's to say; where everybody may not, these may.
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
