//! The allow-list of functions, and the names of the database system that are refused.

use sqlparser::ast::{Ident, ObjectName, ObjectNamePart};

use super::{Checked, Guard, refuse};
use crate::DatasourceKind;

/// Functions of both databases. They compute from their arguments only, and their result is not much longer.
const BOTH: &str = "\
    abs avg ceil ceiling char_length coalesce concat concat_ws count cume_dist date degrees dense_rank \
    exp first_value floor lag last_value lead length ln log lower ltrim max min mod nth_value ntile \
    nullif octet_length percent_rank pi pow power radians rank replace round row_number rtrim sign sin \
    cos sqrt string_agg substr substring sum tan trim trunc upper";

const POSTGRES: &str = "\
    age array_agg array_length array_to_string array_position bit_and bit_or bool_and bool_or btrim \
    cardinality character_length corr covar_pop covar_samp date_bin date_part date_trunc div every \
    extract greatest grouping initcap isfinite json_agg json_array_length json_build_array \
    json_build_object json_extract_path_text json_object_agg json_typeof jsonb_agg jsonb_array_length \
    jsonb_build_array jsonb_build_object jsonb_extract_path_text jsonb_object_agg jsonb_typeof \
    justify_days justify_hours justify_interval least left log10 make_date make_interval make_time \
    make_timestamp make_timestamptz md5 mode now percentile_cont percentile_disc position regr_avgx \
    regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy reverse right \
    scale split_part starts_with statement_timestamp stddev stddev_pop stddev_samp strpos timezone \
    to_char to_date to_number to_timestamp transaction_timestamp translate var_pop var_samp variance \
    width_bucket";

const SQLITE: &str = "\
    datetime glob group_concat ifnull iif instr json_array json_array_length json_extract \
    json_group_array json_group_object json_object json_type json_valid julianday likelihood likely \
    log10 log2 median percentile strftime time timediff total typeof unicode unixepoch unlikely if";

/// Functions that are called without parentheses.
const BARE: &[&str] = &["current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"];

/// Keywords for which PostgreSQL returns information about the session.
const SESSION: &[&str] = &[
    "current_catalog",
    "current_role",
    "current_schema",
    "current_user",
    "session_user",
    "system_user",
    "user",
    "current_database",
];

/// Prefixes of names that belong to the database system.
const PREFIXES: &[&str] = &["pg_", "sqlite_", "pragma_", "dblink", "information_schema", "crdb_"];

/// Virtual tables that SQLite provides without `CREATE`.
const MADE_UP: &[&str] = &[
    "bytecode",
    "carray",
    "completion",
    "csv",
    "dbstat",
    "fsdir",
    "fts3tokenize",
    "fts5vocab",
    "generate_series",
    "json_each",
    "json_tree",
    "jsonb_each",
    "jsonb_tree",
    "series",
    "stmt",
    "tables_used",
    "zipfile",
];

/// Returns whether a function may be called on this kind of database. `name` is in lower case.
pub fn allowed(kind: DatasourceKind, name: &str) -> bool {
    let own = match kind {
        DatasourceKind::Postgres => POSTGRES,
        DatasourceKind::Sqlite => SQLITE,
    };
    BOTH.split(' ').chain(own.split(' ')).any(|known| known == name)
}

/// Refuses names that belong to the database system, in any position and with any quotes.
pub fn not_the_systems(name: &str) -> Checked {
    let lower = name.to_lowercase();
    if PREFIXES.iter().any(|prefix| lower.starts_with(prefix)) {
        return refuse(format!(
            "`{}` is the database's own: system schemas, tables and functions can't be queried",
            crate::said(name)
        ));
    }
    Ok(())
}

/// Returns the parts of a name, each of which must be an identifier.
fn parts(name: &ObjectName) -> Result<Vec<&Ident>, super::QueryRefused> {
    name.0
        .iter()
        .map(|part| match part {
            ObjectNamePart::Identifier(ident) => Ok(ident),
            ObjectNamePart::Function(_) => refuse("a name can't be computed here"),
        })
        .collect()
}

impl Guard {
    /// Checks the name of a table, with or without a schema.
    pub(super) fn table(self, name: &ObjectName) -> Checked {
        let parts = parts(name)?;
        let Some((table, schemas)) = parts.split_last() else { return refuse("a table without a name") };
        // PostgreSQL reads `only` as a keyword that precedes the table.
        if table.quote_style.is_none() && table.value.eq_ignore_ascii_case("only") {
            return refuse("ONLY is not allowed here");
        }
        let (table, schema) = (table.value.to_lowercase(), schemas.first().map(|s| s.value.to_lowercase()));
        if schemas.len() > 1 {
            return refuse(format!("write schema and table, and no database before them: `{name}`"));
        }
        match (self.kind, schema.as_deref()) {
            (DatasourceKind::Sqlite, Some(schema)) if schema != "main" => {
                refuse("only the schema `main` can be queried here")
            }
            (DatasourceKind::Sqlite, _) if MADE_UP.contains(&table.as_str()) => {
                refuse(format!("`{table}` is the database's own: it can't be queried"))
            }
            _ => Ok(()),
        }
    }

    /// Checks the name of a function against the allow-list.
    pub(super) fn function_name(self, name: &ObjectName) -> Checked {
        let parts = parts(name)?;
        let [ident] = parts.as_slice() else {
            return refuse(format!("functions are called without a schema here: `{name}`"));
        };
        let lower = ident.value.to_lowercase();
        if ident.quote_style.is_some() || !allowed(self.kind, &lower) {
            return refuse(format!(
                "the function `{}` is not among those that may be called: it is unknown, or does more than compute",
                crate::said(&ident.value)
            ));
        }
        Ok(())
    }

    /// Checks an identifier of the query or the schema.
    pub(super) fn name(self, ident: &Ident) -> Checked {
        let session = self.kind == DatasourceKind::Postgres && ident.quote_style.is_none();
        if session && SESSION.contains(&ident.value.to_lowercase().as_str()) {
            return refuse(format!(
                "`{}` is not told here; as a column's name it needs double quotes",
                ident.value
            ));
        }
        if !matches!(ident.quote_style, None | Some('"' | '`' | '[')) {
            return refuse("a name is quoted with double quotes here");
        }
        not_the_systems(&ident.value)
    }
}

/// Checks a function that is called without parentheses.
pub fn bare(name: &ObjectName) -> Checked {
    match parts(name)?.as_slice() {
        [ident] if ident.quote_style.is_none() && BARE.contains(&ident.value.to_lowercase().as_str()) => {
            Ok(())
        }
        _ => refuse(format!("`{}` is not told here", crate::said(&name.to_string()))),
    }
}

/// Requires that a name consists of identifiers.
pub fn plain(name: &ObjectName) -> Checked {
    parts(name).map(drop)
}

/// Returns whether the SQLite authorizer may allow reading a table.
pub fn readable(table: &str) -> bool {
    let lower = table.to_lowercase();
    not_the_systems(&lower).is_ok() && !MADE_UP.contains(&lower.as_str())
}
