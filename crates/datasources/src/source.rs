//! Parses the URL of a datasource and checks it against the targets that the operator allows.

use std::{
    os::unix::fs::MetadataExt as _,
    path::{Component, Path, PathBuf},
    str::FromStr as _,
};

use percent_encoding::percent_decode_str;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use toolcrib_model::Id;
use url::Url;

use super::DatasourceKind;

/// The servers and files that the operator allows as datasources.
#[derive(Clone, Debug, Default)]
pub struct AllowedTargets {
    /// PostgreSQL servers: `host` or `host:port`.
    pub hosts: Vec<String>,
    /// The folder of the SQLite files. In it, a folder named after a workspace is only for that workspace.
    pub folder: Option<PathBuf>,
    /// The service's own database, if it is a file. Never a datasource.
    pub own: Option<PathBuf>,
}

/// A database that may be queried.
#[derive(Clone)]
pub enum DatasourceUrl {
    /// A server with its login.
    Postgres(Box<PgConnectOptions>),
    /// A file by its canonical path.
    Sqlite(PathBuf),
}

/// Omits login and path.
impl std::fmt::Debug for DatasourceUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DatasourceUrl").field(&self.kind()).finish()
    }
}

/// Why a datasource URL is refused. The text contains no part of the URL, which may have a password.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SourceRefused {
    /// The operator has not configured datasources of this kind.
    #[error("{kind} datasources are not configured: set `{setting}`")]
    NotConfigured {
        kind: &'static str,
        /// The setting that the operator must set.
        setting: &'static str,
    },
    /// The URL is malformed or not allowed.
    #[error("{0}")]
    Refused(&'static str),
}

type Parsed<T> = Result<T, SourceRefused>;

fn refused<T>(why: &'static str) -> Parsed<T> {
    Err(SourceRefused::Refused(why))
}

impl DatasourceUrl {
    pub const fn kind(&self) -> DatasourceKind {
        match self {
            Self::Postgres(_) => DatasourceKind::Postgres,
            Self::Sqlite(_) => DatasourceKind::Sqlite,
        }
    }

    /// Parses `postgres://USER:PASSWORD@HOST/NAME` or `sqlite:FILE` for a datasource of `workspace`.
    pub fn parse(text: &str, allowed: &AllowedTargets, workspace: Id) -> Parsed<Self> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return file(path, allowed, workspace).map(Self::Sqlite);
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return server(text, allowed).map(|options| Self::Postgres(Box::new(options)));
        }
        refused("must be postgres://USER:PASSWORD@HOST/NAME or sqlite:FILE")
    }
}

fn server(text: &str, allowed: &AllowedTargets) -> Parsed<PgConnectOptions> {
    if allowed.hosts.is_empty() {
        return Err(SourceRefused::NotConfigured { kind: "PostgreSQL", setting: "datasource_hosts" });
    }
    let Ok(url) = Url::parse(text) else {
        return refused(
            "is no URL: write postgres://USER:PASSWORD@HOST/NAME, with special characters as %XX",
        );
    };
    let host = host(&url)?;
    let port = url.port().unwrap_or(5432);
    let full = format!("{host}:{port}");
    if !allowed.hosts.iter().any(|allowed| [&host, &full].iter().any(|own| own.eq_ignore_ascii_case(allowed)))
    {
        return refused("names a host that is not among those the operator allows (`datasource_hosts`)");
    }
    let name = url.path().trim_start_matches('/');
    if name.is_empty() || name.contains('/') || url.username().is_empty() || url.fragment().is_some() {
        return refused("must name a user and one database: postgres://USER:PASSWORD@HOST/NAME");
    }
    // Every option is set, so that no environment variable or password file of this process affects the
    // connection.
    let options = PgConnectOptions::new_without_pgpass()
        .host(host.trim_matches(['[', ']']))
        .port(port)
        .username(&plain(url.username())?)
        .password(&plain(url.password().unwrap_or_default())?)
        .database(&plain(name)?)
        .ssl_mode(ssl_mode(&url)?)
        .application_name("toolcrib")
        .statement_cache_capacity(4);
    Ok(options)
}

/// Returns the host to connect to. Refuses sockets, lists of hosts and encoded characters.
fn host(url: &Url) -> Parsed<String> {
    let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
    let named = host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b));
    let numbered = host.starts_with('[') && host.ends_with(']');
    if host.is_empty() || !(named || numbered) {
        return refused("must name a host: a name or an address, no socket and no list");
    }
    Ok(host)
}

/// Parses `sslmode`. Refuses other parameters, which could change the host, read local files or set session
/// options.
fn ssl_mode(url: &Url) -> Parsed<PgSslMode> {
    let mut mode = PgSslMode::Prefer;
    for (key, value) in url.query_pairs() {
        if key != "sslmode" {
            return refused("may have no parameter but `sslmode`");
        }
        let Ok(wanted) = PgSslMode::from_str(&value) else {
            return refused(
                "has an unknown `sslmode`: use disable, prefer, require, verify-ca or verify-full",
            );
        };
        mode = wanted;
    }
    Ok(mode)
}

fn plain(text: &str) -> Parsed<String> {
    match percent_decode_str(text).decode_utf8() {
        Ok(text) if !text.contains('\0') => Ok(text.into_owned()),
        _ => refused("holds bytes that are no text"),
    }
}

fn file(path: &str, allowed: &AllowedTargets, workspace: Id) -> Parsed<PathBuf> {
    let Some(folder) = &allowed.folder else {
        return Err(SourceRefused::NotConfigured { kind: "SQLite", setting: "datasource_dir" });
    };
    let wrong = Path::new(path).components().any(|part| part == Component::ParentDir);
    if path.is_empty() || wrong || path.contains(['?', '#', '\0']) {
        return refused(
            "must name a file in the operator's folder (`datasource_dir`), without parameters: sqlite:FILE",
        );
    }
    // Use the same error for a missing file and for a file outside the folder, to disclose neither.
    let missing = SourceRefused::Refused("names no file in the operator's folder (`datasource_dir`)");
    let (Ok(folder), Ok(real)) = (folder.canonicalize(), folder.join(path).canonicalize()) else {
        return Err(missing);
    };
    let Ok(inside) = real.strip_prefix(&folder) else { return Err(missing) };
    let owner = inside.components().next().and_then(|first| Id::try_parse(first.as_os_str().to_str()?).ok());
    if !real.is_file() || is_own(&real, allowed) || owner.is_some_and(|owner| owner != workspace) {
        return Err(missing);
    }
    Ok(real)
}

/// Returns whether the file is the service's own database. Compares inodes, because it may have several
/// names.
fn is_own(path: &Path, allowed: &AllowedTargets) -> bool {
    let id = |path: &Path| path.metadata().ok().map(|found| (found.dev(), found.ino()));
    allowed.own.as_deref().is_some_and(|own| id(own).is_some() && id(own) == id(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKSPACE: Id = Id::from_u128(1);

    fn allowed(folder: Option<&Path>) -> AllowedTargets {
        let hosts = ["db.example", "other.example:6000", "[::1]"].map(str::to_owned).into();
        AllowedTargets {
            hosts,
            folder: folder.map(Path::to_owned),
            own: folder.map(|folder| folder.join("own.db")),
        }
    }

    #[test]
    fn only_allowed_hosts_and_nothing_else_of_the_connection() {
        let parse = |text: &str| DatasourceUrl::parse(text, &allowed(None), WORKSPACE);
        for good in [
            "postgres://u:p@db.example/shop",
            "postgresql://u@DB.example:5433/shop?sslmode=require",
            "postgres://u:a%40b@other.example:6000/shop",
            "postgres://u:p@[::1]:5432/shop",
        ] {
            assert_eq!(parse(good).unwrap().kind(), DatasourceKind::Postgres, "{good}");
        }
        for bad in [
            "postgres://u:p@elsewhere.example/shop",
            "postgres://u:p@other.example/shop",
            "postgres://u:p@db.example.evil.example/shop",
            "postgres://u:p@db.example@evil.example/shop",
            "postgres://u:p@%2Fvar%2Frun/shop",
            "postgres://u:p@db.example,evil.example/shop",
            "postgres://u:p@/shop?host=db.example",
            "postgres://u:p@db.example/shop?host=evil.example",
            "postgres://u:p@db.example/shop?hostaddr=10.0.0.1",
            "postgres://u:p@db.example/shop?options=-c%20default_transaction_read_only%3Doff",
            "postgres://u:p@db.example/shop?sslrootcert=/etc/passwd",
            "postgres://u:p@db.example/shop?sslmode=off",
            "postgres://u:p@db.example/",
            "postgres://u:p@db.example/a/b",
            "postgres://db.example/shop",
            "postgres://u:p@db.example/shop#x",
            "mysql://u:p@db.example/shop",
            "http://db.example/shop",
            "file:shop.db",
            "",
        ] {
            let text = parse(bad).unwrap_err().to_string();
            assert!(!text.contains("evil") && !text.contains("shop"), "{bad}: {text}");
        }
        let nowhere =
            DatasourceUrl::parse("postgres://u:p@db.example/shop", &AllowedTargets::default(), WORKSPACE)
                .unwrap_err();
        assert!(nowhere.to_string().contains("`datasource_hosts`"));
        let shown = format!("{:?}", parse("postgres://u:geheim@db.example/shop").unwrap());
        assert_eq!(shown, "DatasourceUrl(Postgres)");
    }

    #[test]
    fn only_files_in_the_folder_and_never_our_own() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (inside, mine) = (folder.path(), folder.path().join(WORKSPACE.to_string()));
        let theirs = inside.join(Id::from_u128(2).to_string());
        for place in [&mine, &theirs] {
            std::fs::create_dir(place).unwrap();
            std::fs::write(place.join("x.db"), "").unwrap();
        }
        for file in [inside.join("shop.db"), inside.join("own.db"), outside.path().join("far.db")] {
            std::fs::write(file, "").unwrap();
        }
        std::os::unix::fs::symlink(outside.path().join("far.db"), inside.join("link.db")).unwrap();
        std::fs::hard_link(inside.join("own.db"), inside.join("twin.db")).unwrap();
        let parse = |text: &str| DatasourceUrl::parse(text, &allowed(Some(inside)), WORKSPACE);
        let whole = format!("sqlite:{}", inside.join("shop.db").display());
        for good in ["sqlite:shop.db", "sqlite://shop.db", &whole, &format!("sqlite:{WORKSPACE}/x.db")] {
            assert_eq!(parse(good).unwrap().kind(), DatasourceKind::Sqlite, "{good}");
        }
        for bad in [
            "sqlite:",
            "sqlite:missing.db",
            "sqlite:../far.db",
            "sqlite:sub/../../far.db",
            &format!("sqlite:{}", outside.path().join("far.db").display()),
            "sqlite:link.db",
            "sqlite:own.db",
            "sqlite:twin.db",
            "sqlite:.",
            "sqlite::memory:",
            "sqlite:shop.db?mode=rwc",
            "sqlite:file:shop.db",
            &format!("sqlite:{}/x.db", Id::from_u128(2)),
        ] {
            assert!(matches!(parse(bad), Err(SourceRefused::Refused(_))), "{bad}");
        }
        let nowhere =
            DatasourceUrl::parse("sqlite:shop.db", &AllowedTargets::default(), WORKSPACE).unwrap_err();
        assert!(nowhere.to_string().contains("`datasource_dir`"));
    }
}
