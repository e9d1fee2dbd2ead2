//! Creates a login and sets the password of its URL. Sends a SCRAM verifier, because a server that logs
//! statements would log the password.

use aws_lc_rs::{
    digest::{SHA256, digest},
    hmac, pbkdf2,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, postgres::PgConnectOptions};
use toolcrib_model::IdGen;
use url::Url;

use crate::backend::{StoreError, connect};

/// PostgreSQL's default.
const ITERATIONS: std::num::NonZeroU32 = std::num::NonZeroU32::new(4_096).unwrap();

/// Creates the login of `url` if it is missing, and sets its password if the login can't connect with it.
pub async fn ensure(
    owner: &mut PgConnection,
    login: &str,
    url: &str,
    ids: &dyn IdGen,
) -> Result<(), StoreError> {
    let exists: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1)")
        .bind(login)
        .fetch_one(&mut *owner)
        .await?;
    let options: PgConnectOptions = url.parse()?;
    if exists && logs_in(&options).await {
        return Ok(());
    }
    let password = password(url)?.map(|password| verifier(&password, &ids.secret()[..16]));
    let verb = if exists { "ALTER ROLE %I" } else { "CREATE ROLE %I" };
    let rights = "LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT";
    // Change only the password of an existing login. `refuse_gap` checks its other attributes.
    let sql = match (exists, &password) {
        (true, None) => return Ok(()),
        (true, Some(_)) => format!("{verb} PASSWORD %L"),
        (false, None) => format!("{verb} {rights}"),
        (false, Some(_)) => format!("{verb} {rights} PASSWORD %L"),
    };
    let sql: String = sqlx::query_scalar("SELECT format($1, CAST($2 AS TEXT), CAST($3 AS TEXT))")
        .bind(sql)
        .bind(login)
        .bind(password)
        .fetch_one(&mut *owner)
        .await?;
    owner.execute(AssertSqlSafe(sql)).await.map_err(|error| {
        StoreError::Setup(format!(
            "the login `{login}` can't be made: {error}; a superuser can run `CREATE ROLE {login} LOGIN PASSWORD '…'`"
        ))
    })?;
    Ok(())
}

async fn logs_in(options: &PgConnectOptions) -> bool {
    match connect(options).await {
        Ok(conn) => conn.close().await.is_ok(),
        Err(_) => false,
    }
}

fn password(url: &str) -> Result<Option<String>, StoreError> {
    let wrong = |why: &str| StoreError::Setup(format!("the password of a login {why}"));
    let url: Url = url.parse().map_err(|_| wrong("stands in no URL"))?;
    let in_query =
        url.query_pairs().find(|(name, _)| name == "password").map(|(_, value)| value.into_owned());
    let text = match url.password() {
        Some(text) => Some(
            percent_encoding::percent_decode_str(text)
                .decode_utf8()
                .map_err(|_| wrong("is no text"))?
                .into_owned(),
        ),
        None => in_query,
    };
    match text {
        // Other characters have several Unicode forms, and the verifier and the client must use the same one.
        Some(text) if !text.chars().all(|c| c.is_ascii_graphic()) => {
            Err(wrong("has other than ASCII characters"))
        }
        text => Ok(text.filter(|text| !text.is_empty())),
    }
}

/// Returns the form in which PostgreSQL stores a password: see RFC 5802 and RFC 7677.
fn verifier(password: &str, salt: &[u8]) -> String {
    let mut salted = [0; 32];
    pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, ITERATIONS, salt, password.as_bytes(), &mut salted);
    let sign = |text: &str| hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &salted), text.as_bytes());
    let stored = digest(&SHA256, sign("Client Key").as_ref());
    let server = sign("Server Key");
    format!(
        "SCRAM-SHA-256${ITERATIONS}:{}${}:{}",
        STANDARD.encode(salt),
        STANDARD.encode(stored),
        STANDARD.encode(server)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verifier_is_that_of_rfc_7677() {
        let salt = STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        assert_eq!(
            verifier("pencil", &salt),
            "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:\
             wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
        );
    }

    #[test]
    fn the_password_of_a_url_is_found_and_read_as_the_server_reads_it() {
        let read = |url: &str| password(url);
        assert_eq!(read("postgres://u:a%40b@h/d").unwrap().as_deref(), Some("a@b"));
        assert_eq!(read("postgres://u@h/d?password=pw").unwrap().as_deref(), Some("pw"));
        assert_eq!(read("postgres://u@h/d").unwrap(), None);
        assert_eq!(read("postgres://u:@h/d").unwrap(), None);
        for bad in ["postgres://u:%C3%A9@h/d", "postgres://u:a%00b@h/d", "postgres://u:%ff@h/d"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
