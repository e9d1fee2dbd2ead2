//! Settings for the data directory and the databases.

use super::{Setting, SettingKind, setting};

pub(super) const SETTINGS: [Setting; 6] = [
    setting(
        "data_dir",
        "DIR",
        SettingKind::Text,
        Some("./.toolcrib"),
        "Directory of the database, the signing key of local tokens and demo.json",
    ),
    setting(
        "database",
        "URL",
        SettingKind::Text,
        None,
        "Address: sqlite:PATH or postgres://USER@HOST/NAME [default: toolcrib.db in the data directory]",
    ),
    setting(
        "audit_database",
        "URL",
        SettingKind::Url,
        None,
        "PostgreSQL: the login for the audit rows of reads; with this and --worker-database, the one of --database is for \
         requests alone, and `migrate` makes all three",
    ),
    setting(
        "worker_database",
        "URL",
        SettingKind::Url,
        None,
        "PostgreSQL: the login for what runs beside the requests; goes with --audit-database",
    ),
    setting(
        "owner_database",
        "URL",
        SettingKind::Url,
        None,
        "PostgreSQL: the login that owns the tables, for `migrate` and other commands; `serve` never needs it",
    ),
    setting(
        "pg_pooler",
        "WORD",
        SettingKind::Word(&["none", "transaction"]),
        Some("none"),
        "Kind of the pooler: transaction if --database, --audit-database and --worker-database name one in transaction mode, such as \
         PgBouncer; --owner-database names the server itself",
    ),
];
