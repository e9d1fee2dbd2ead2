//! Notifications: what people are told beside the answers to their own calls, and who read what of it.

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A notification as it is written.
#[derive(Clone, Debug)]
pub struct NotificationRow {
    /// Its id.
    pub id: Id,
    /// `action`, `confirmation_required`, `confirmation_expired` or `keys_weakened`.
    pub kind: &'static str,
    /// Whom it is for.
    pub audience: Audience,
    /// One line.
    pub title: String,
    /// The rest, in plain text.
    pub body: String,
    /// The same for programs, as JSON text.
    pub data: String,
    /// The audit row of the call that it is about.
    pub call_id: Option<Id>,
    /// When.
    pub created_at: Ts,
}

/// Whom a notification is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Whoever is admin or owner when they look.
    Admins {
        /// The one of them whom it does not concern.
        except: Option<Id>,
    },
    /// A user, an agent or a key.
    One(Id),
}

/// A notification as somebody reads it.
#[derive(Clone, Debug, FromRow)]
pub struct NotificationEntry {
    /// Its id.
    pub id: Id,
    /// `action`, `confirmation_required`, `confirmation_expired` or `keys_weakened`.
    pub kind: String,
    /// `admins` or `user`.
    pub audience: String,
    /// One line.
    pub title: String,
    /// The rest, in plain text.
    pub body: String,
    /// The same for programs, as JSON text.
    pub data: String,
    /// The audit row of the call that it is about.
    pub call_id: Option<Id>,
    /// When.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When this reader read it, in microseconds.
    pub read_at: Option<i64>,
}

/// Who reads.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Whose marks count.
    pub id: Id,
    /// Admins read what is for admins.
    pub admin: bool,
}

/// Adds a notification.
pub async fn insert(tx: &mut WriteTx, row: &NotificationRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO notifications (workspace_id, id, kind, audience, user_id, except_user_id, title, body, \
        data, call_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let workspace = tx.workspace;
    let (audience, user, except) = match row.audience {
        Audience::Admins { except } => ("admins", None, except),
        Audience::One(id) => ("user", Some(id), None),
    };
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.kind).bind(audience).bind(user).bind(except)
        .bind(&row.title).bind(&row.body).bind(&row.data).bind(row.call_id).bind(row.created_at.as_micros())
        .execute(c).await.map(|_| ()))?;
    Ok(())
}

/// What a reader sees, with their mark: `$2` is the reader, `$3` whether they are an admin.
macro_rules! seen {
    ($rest:literal) => {
        concat!(
            "SELECT n.id, n.kind, n.audience, n.title, n.body, n.data, n.call_id, n.created_at, r.read_at \
             FROM notifications n LEFT JOIN notification_reads r ON r.workspace_id = n.workspace_id \
             AND r.notification_id = n.id AND r.user_id = $2 WHERE n.workspace_id = $1 \
             AND ((n.audience = 'user' AND n.user_id = $2) OR (n.audience = 'admins' AND $3 = TRUE \
             AND (n.except_user_id IS NULL OR n.except_user_id <> $2))) ",
            $rest
        )
    };
}

/// What a reader sees, newest first, from behind `cursor`; at most `limit` rows. `unread`: only that, or only the
/// rest.
pub async fn list(
    tx: &mut Tx,
    reader: Reader,
    unread: Option<bool>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<NotificationEntry>, StoreError> {
    const SQL: &str = seen!(
        "AND ($4 IS NULL OR $4 = (r.read_at IS NULL)) AND (n.created_at, n.id) < ($5, $6) \
         ORDER BY n.created_at DESC, n.id DESC LIMIT $7"
    );
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(reader.id).bind(reader.admin).bind(unread)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)?,
    )
}

/// One that this reader sees.
pub async fn get(tx: &mut Tx, reader: Reader, id: Id) -> Result<Option<NotificationEntry>, StoreError> {
    const SQL: &str = seen!("AND n.id = $4");
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(reader.id).bind(reader.admin).bind(id)
        .fetch_optional(c).await)?)
}

/// Notes that a reader read one. The first time stands.
pub async fn mark(tx: &mut WriteTx, reader: Reader, id: Id, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO notification_reads (workspace_id, notification_id, user_id, read_at) \
        VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).bind(reader.id).bind(at.as_micros()).execute(c).await
        .map(|_| ()))?;
    Ok(())
}

/// The call that asked for a confirmation: its audit row is of the very moment at which the confirmation was made.
pub async fn asking_call(tx: &mut Tx, confirmation: Id, made: Ts) -> Result<Option<Id>, StoreError> {
    const SQL: &str = "SELECT id FROM action_log WHERE workspace_id = $1 AND occurred_at = $2 \
        AND confirmation_id = $3 ORDER BY id LIMIT 1";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).bind(made.as_micros()).bind(confirmation)
        .fetch_optional(c).await)?,
    )
}
