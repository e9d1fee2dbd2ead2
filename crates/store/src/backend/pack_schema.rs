//! The tables of a pack: two sets of migrations, and what their statements may touch.

use sqlx::migrate::Migrator;

use super::StoreError;

/// The tables of a pack. Its migrations run after those of this crate and have a version table of their own. On
/// PostgreSQL each table is given to `guard_tenant`, as the tables of this crate are.
#[derive(Debug)]
pub struct PackSchema {
    slug: &'static str,
    pub(crate) sqlite: Migrator,
    /// The migrations of PostgreSQL.
    pub(crate) postgres: Migrator,
    tables: &'static [&'static str],
}

impl PackSchema {
    /// Makes the schema of the pack `slug`. Both sets of migrations come from `sqlx::migrate!`. `tables` are all its
    /// tables, in an order in which their rows can be deleted.
    pub fn new(
        slug: &'static str,
        sqlite: &Migrator,
        postgres: &Migrator,
        tables: &'static [&'static str],
    ) -> Self {
        let own = |all: &Migrator| {
            let mut own = Migrator::with_migrations(all.iter().cloned().collect());
            own.dangerous_set_table_name(format!("_sqlx_migrations_{slug}"));
            own
        };
        Self { slug, sqlite: own(sqlite), postgres: own(postgres), tables }
    }

    /// Returns the pack's slug.
    pub fn slug(&self) -> &'static str {
        self.slug
    }

    /// Returns the pack's tables.
    pub fn tables(&self) -> &'static [&'static str] {
        self.tables
    }

    /// Returns the name of the table that lists the migrations which a database has.
    pub(crate) fn version_table(&self) -> String {
        format!("_sqlx_migrations_{}", self.slug)
    }

    /// Fails if a table has another prefix, or if a migration contains a statement that a pack may not run: it creates,
    /// changes and fills its own tables and indexes.
    pub fn check(&self) -> Result<(), StoreError> {
        let is_own = |name: &str| name.starts_with(&format!("{}_", self.slug));
        if let Some(table) = self.tables.iter().find(|table| !is_own(table)) {
            return Err(self.refused(&format!("the table `{table}` must begin with `{}_`", self.slug)));
        }
        for migration in self.sqlite.iter().chain(self.postgres.iter()) {
            let text = without_comments(migration.sql.as_str());
            for statement in text.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
                if !changed_table(statement).is_some_and(|table| is_own(&table)) {
                    let start: String = statement.chars().take(60).collect();
                    return Err(self.refused(&format!(
                        "migration {} may only create and change tables and indexes that begin with `{}_`, and not: {start}",
                        migration.version, self.slug
                    )));
                }
            }
        }
        Ok(())
    }

    /// Makes the error for a defect of the pack.
    pub(crate) fn refused(&self, why: &str) -> StoreError {
        StoreError::Setup(format!("pack `{}`: {why}", self.slug))
    }
}

fn without_comments(sql: &str) -> String {
    sql.lines()
        .map(|line| line.split_once("--").map_or(line, |(code, _)| code))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the table that a statement creates, changes, indexes, guards or fills; `None` for any other statement.
fn changed_table(statement: &str) -> Option<String> {
    let words: Vec<String> = statement
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let words: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !["if", "not", "exists"].contains(word)).collect();
    let (["create" | "alter" | "drop", "table", table, ..]
    | ["drop", "index", table, ..]
    | ["create", "index", _, "on", table, ..]
    | ["create", "unique", "index", _, "on", table, ..]
    | ["select", "guard_tenant", table, ..]
    | ["insert", "into", table, ..]
    | ["update", table, ..]
    | ["delete", "from", table, ..]) = *words.as_slice()
    else {
        return None;
    };
    Some(table.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_about_tables_are_read() {
        for (sql, table) in [
            ("CREATE TABLE notes_notes (id BLOB) STRICT", Some("notes_notes")),
            ("create unique index if not exists notes_by_time ON notes_notes (at)", Some("notes_notes")),
            ("SELECT guard_tenant('notes_notes', 'SELECT, INSERT')", Some("notes_notes")),
            ("ALTER TABLE members ADD COLUMN x TEXT", Some("members")),
            ("CREATE FUNCTION notes_f() RETURNS INT LANGUAGE sql AS $$ SELECT 1 $$", None),
            ("DO $$ BEGIN END $$", None),
            ("GRANT ALL ON notes_notes TO PUBLIC", None),
        ] {
            assert_eq!(changed_table(sql).as_deref(), table, "{sql}");
        }
    }
}
