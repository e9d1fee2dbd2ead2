//! The grants and policies of PostgreSQL, those of packs too, in a golden file for review.

use std::{fs, path::Path};

use toolcrib_testkit::postgres;

use crate::help::{raw_pg, with_packs};

/// Grants on tables, columns and functions to any role but the owner, and every policy.
const SQL: &str = "SELECT line FROM ( \
    SELECT format('grant %s %s: %s', r.grantee, c.relname, \
      string_agg(r.privilege_type, ', ' ORDER BY r.privilege_type)) AS line \
    FROM pg_class c, LATERAL (SELECT coalesce(g.rolname, 'public') AS grantee, x.privilege_type \
      FROM aclexplode(c.relacl) x LEFT JOIN pg_roles g ON g.oid = x.grantee WHERE x.grantee <> c.relowner) r \
    WHERE c.relnamespace = CAST('public' AS regnamespace) AND c.relname <> '_sqlx_migrations' \
    GROUP BY r.grantee, c.relname \
    UNION ALL \
    SELECT format('grant %s %s(%s): %s', r.grantee, c.relname, a.attname, \
      string_agg(r.privilege_type, ', ' ORDER BY r.privilege_type)) \
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid, \
      LATERAL (SELECT coalesce(g.rolname, 'public') AS grantee, x.privilege_type FROM aclexplode(a.attacl) x \
      LEFT JOIN pg_roles g ON g.oid = x.grantee) r \
    WHERE c.relnamespace = CAST('public' AS regnamespace) GROUP BY r.grantee, c.relname, a.attname \
    UNION ALL \
    SELECT format('execute %s %s(%s)%s', coalesce(g.rolname, 'public'), p.proname, \
      pg_get_function_identity_arguments(p.oid), \
      CASE WHEN p.prosecdef THEN ' as ' || o.rolname || ', ' || array_to_string(p.proconfig, '; ') \
        ELSE '' END) \
    FROM pg_proc p JOIN pg_roles o ON o.oid = p.proowner, \
      LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x \
      LEFT JOIN pg_roles g ON g.oid = x.grantee \
    WHERE p.pronamespace = CAST('public' AS regnamespace) AND x.grantee <> p.proowner \
    UNION ALL \
    SELECT format('policy %s %s: %s to %s using %s check %s', tablename, policyname, cmd, \
      array_to_string(roles, ', '), coalesce(qual, '-'), coalesce(with_check, '-')) \
    FROM pg_policies WHERE schemaname = 'public') lines ORDER BY line COLLATE \"C\"";

#[expect(clippy::disallowed_methods, reason = "how every golden file is rewritten")]
fn rewriting() -> bool {
    std::env::var("UPDATE_GOLDEN").is_ok_and(|value| value == "1")
}

#[tokio::test(flavor = "multi_thread")]
async fn grants_and_policies_are_golden() {
    let db = with_packs(postgres().await).await;
    let lines: Vec<String> = sqlx::query_scalar(SQL).fetch_all(&mut raw_pg(&db).await).await.unwrap();
    let now = lines.join("\n") + "\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden/grants.txt");
    if rewriting() {
        fs::write(&file, &now).unwrap();
    }
    let golden = fs::read_to_string(&file).unwrap_or_default();
    let (was, is): (Vec<_>, Vec<_>) = (golden.lines().collect(), now.lines().collect());
    let gone: Vec<_> = was.iter().filter(|line| !is.contains(line)).collect();
    let new: Vec<_> = is.iter().filter(|line| !was.contains(line)).collect();
    assert!(
        golden == now,
        "grants or policies changed; when that is meant, run the tests named `golden` with UPDATE_GOLDEN=1\n\
         gone: {gone:#?}\nnew: {new:#?}"
    );
}
