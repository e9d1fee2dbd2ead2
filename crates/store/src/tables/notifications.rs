//! Notifications: messages to users that are not responses to their own calls, and which user has read which.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, NotificationKind, Ts};

use crate::backend::{JsonText, OptionalTime, StoreError, Tx, WriteTx};

#[derive(Clone, Debug)]
pub struct NotificationRow {
    pub id: Id,
    pub kind: NotificationKind,
    pub audience: Audience,
    /// The title, in one line.
    pub title: String,
    /// The body, in plain text.
    pub body: String,
    /// The content for programs, as JSON text.
    pub data: String,
    /// The audit row of the call that the notification is about.
    pub call_id: Option<Id>,
    /// The confirmation with which the notification ends.
    pub confirmation_id: Option<Id>,
    pub created_at: Ts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All users who are admins or owners when they read.
    Admins {
        /// A user who is excluded, because the notification does not concern them.
        except: Option<Id>,
    },
    /// One user, agent or key.
    One(Id),
}

/// A notification.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct NotificationEntry {
    /// ID.
    pub id: Id,
    /// What it is about.
    #[sqlx(try_from = "String")]
    pub kind: NotificationKind,
    /// Recipients: `admins` or `user`.
    pub audience: String,
    /// Title, one line of plain text.
    pub title: String,
    /// Text of the notification, plain text.
    pub body: String,
    /// Data for programs, by kind. Of a call: `action`, `description`, `target`, `who`, `user_id`, `confirmation_id`,
    /// `summary`, `expires_at`, `approve_url`.
    #[sqlx(try_from = "JsonText")]
    pub data: Map<String, Value>,
    /// `call_id` of the call in the audit log.
    pub call_id: Option<Id>,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// Time at which you read it.
    #[sqlx(try_from = "OptionalTime")]
    pub read_at: Option<Ts>,
    /// Whether the confirmation that it asks for has ended: nothing is left to do.
    pub ended: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// The id of the user, agent or key, under which read marks are stored.
    pub id: Id,
    /// Whether the reader gets the notifications for admins.
    pub admin: bool,
}

pub async fn insert(tx: &mut WriteTx, row: &NotificationRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO notifications (workspace_id, id, kind, audience, user_id, except_user_id, title, body, \
        data, call_id, confirmation_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let (audience, user, except) = match row.audience {
        Audience::Admins { except } => ("admins", None, except),
        Audience::One(id) => ("user", Some(id), None),
    };
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.kind.as_str())
        .bind(audience).bind(user).bind(except).bind(&row.title).bind(&row.body).bind(&row.data)
        .bind(row.call_id).bind(row.confirmation_id).bind(row.created_at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Whether the confirmation that a notification `n` is about has ended at the time `$4`.
macro_rules! ended {
    () => {
        "(n.confirmation_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM confirmations c \
         WHERE c.workspace_id = n.workspace_id AND c.id = n.confirmation_id \
         AND c.status IN ('pending', 'awaiting_phrase') AND c.expires_at > $4))"
    };
}

/// Selects from the notifications for a reader, with the reader's marks. `$2` is the reader's id, `$3` whether the
/// reader is an admin, and `$4` the time.
macro_rules! seen {
    ($rest:expr) => {
        seen!(
            concat!(
                "SELECT n.id, n.kind, n.audience, n.title, n.body, n.data, n.call_id, n.created_at, r.read_at, ",
                ended!(),
                " AS ended"
            ),
            "notifications",
            $rest
        )
    };
    ($select:expr, $notifications:expr, $rest:expr) => {
        concat!(
            $select,
            " FROM ",
            $notifications,
            " n LEFT JOIN notification_reads r ON r.workspace_id = n.workspace_id \
             AND r.notification_id = n.id AND r.user_id = $2 WHERE n.workspace_id = $1 \
             AND ((n.audience = 'user' AND n.user_id = $2) OR (n.audience = 'admins' AND $3 = TRUE \
             AND (n.except_user_id IS NULL OR n.except_user_id <> $2))) ",
            $rest
        )
    };
}

/// The newest 500 notifications of the workspace.
macro_rules! newest {
    () => {
        concat!(
            "(SELECT ",
            columns!(notifications),
            " FROM notifications WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT 500)"
        )
    };
}

/// Lists at most `limit` notifications for a reader after `cursor`, newest first. `unread` selects only those that were
/// not read and have not ended (`true`), or only the others (`false`).
pub async fn list(
    tx: &mut Tx,
    reader: Reader,
    unread: Option<bool>,
    now: Ts,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<NotificationEntry>, StoreError> {
    const SQL: &str = seen!(concat!(
        "AND ($5 IS NULL OR $5 = (r.read_at IS NULL AND NOT ",
        ended!(),
        ")) AND (n.created_at, n.id) < ($6, $7) ORDER BY n.created_at DESC, n.id DESC LIMIT $8"
    ));
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(reader.id)
        .bind(reader.admin).bind(now.as_micros()).bind(unread).bind(cursor.at.as_micros()).bind(cursor.id)
        .bind(limit).fetch_all(c).await)
}

/// Returns the notification with this id, if the reader may see it.
pub async fn get(
    tx: &mut Tx,
    reader: Reader,
    id: Id,
    now: Ts,
) -> Result<Option<NotificationEntry>, StoreError> {
    const SQL: &str = seen!("AND n.id = $5");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(reader.id)
        .bind(reader.admin).bind(now.as_micros()).bind(id).fetch_optional(c).await)
}

/// Counts the notifications for a reader, among the newest 500 of the workspace, that were not read and have not ended.
pub async fn count_unread(tx: &mut Tx, reader: Reader, now: Ts) -> Result<i64, StoreError> {
    const SQL: &str = seen!(
        "SELECT CAST(COUNT(*) AS BIGINT)",
        newest!(),
        concat!("AND r.read_at IS NULL AND NOT ", ended!())
    );
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(reader.id)
        .bind(reader.admin).bind(now.as_micros()).fetch_one(c).await)
}

/// Marks the notifications for a reader, among the newest 500 of the workspace, as read. Returns how many were not.
pub async fn mark_all(tx: &mut WriteTx, reader: Reader, at: Ts) -> Result<u64, StoreError> {
    const SQL: &str = concat!(
        "INSERT INTO notification_reads (workspace_id, notification_id, user_id, read_at) ",
        seen!(
            "SELECT n.workspace_id, n.id, $2, $4",
            newest!(),
            "AND r.read_at IS NULL ON CONFLICT DO NOTHING"
        )
    );
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(reader.id).bind(reader.admin)
        .bind(at.as_micros()).execute(c).await.map(|done| done.rows_affected()))
}

/// Marks a notification as read by a reader. An earlier mark is not changed.
pub async fn mark(tx: &mut WriteTx, reader: Reader, id: Id, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO notification_reads (workspace_id, notification_id, user_id, read_at) \
        VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(id).bind(reader.id)
        .bind(at.as_micros()).execute(c).await.map(|_| ()))
}

/// Returns the id of the call that requested a confirmation, which is the id of its audit row. The row has
/// the confirmation's time of creation `made`, by which an index finds the row.
pub async fn asking_call(tx: &mut Tx, confirmation: Id, made: Ts) -> Result<Option<Id>, StoreError> {
    const SQL: &str = "SELECT id FROM action_log WHERE workspace_id = $1 AND occurred_at = $2 \
        AND confirmation_id = $3 ORDER BY id LIMIT 1";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(made.as_micros())
        .bind(confirmation).fetch_optional(c).await)
}
