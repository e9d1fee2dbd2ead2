//! Up to 500 records in one call, each judged on its own: the good ones are kept whatever the others are.

use std::{borrow::Cow, future::Future, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use toolcrib_engine::{ActionError, WriteCx};
use toolcrib_model::{Id, Ts};
use toolcrib_registry::{ArgError, InputSchema, schema_of};
use toolcrib_store::{EventRow, agents};

/// How far a reporter's clock may be ahead, in seconds.
const AHEAD: i64 = 300;

/// What a call takes: records of one kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub struct Batch<R> {
    records: Vec<Value>,
    #[serde(skip)]
    kind: PhantomData<fn() -> R>,
}

/// The schema says what a record is, and lets every item pass: a wrong one is rejected with its index, alone.
impl<R: Record> JsonSchema for Batch<R> {
    fn schema_name() -> Cow<'static, str> {
        "Batch".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": { "records": records::<R>(generator) },
            "required": ["records"],
            "additionalProperties": false,
        })
    }
}

/// The schema of a parameter `records`.
pub fn records<R: JsonSchema>(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "description": "Records; each is checked separately.",
        "minItems": 1,
        "maxItems": 500,
        "items": { "anyOf": [
            schema_of::<R>(),
            { "description": "An invalid record is listed in `rejected` with its index; the others are stored." },
        ] },
    })
}

/// What a record of any kind says.
pub trait Timed: DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// When it happened.
    fn at(&self) -> Ts;
}

/// One kind of record.
pub trait Record: Timed {
    /// The agent whose activity it is.
    fn agent(&self) -> Option<Id>;

    /// Keeps it, once: the same id again changes nothing.
    fn keep(self, cx: &mut WriteCx<'_>) -> impl Future<Output = Result<Kept, ActionError>> + Send;
}

/// What became of a record.
pub enum Kept {
    /// It is new.
    New,
    /// It was there.
    Known,
    /// It names what is not there.
    Wrong(ArgError),
}

impl From<bool> for Kept {
    fn from(new: bool) -> Self {
        if new { Self::New } else { Self::Known }
    }
}

/// JSON Schema of the result.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Recorded {
    /// Number of records that were stored.
    pub accepted: usize,
    /// Number of records whose ID was known; they were skipped.
    pub duplicates: usize,
    /// Records that were rejected.
    pub rejected: Vec<Rejected>,
}

/// A record that was rejected.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Rejected {
    /// Index in `records`, from 0.
    pub index: usize,
    /// Problems, each with a JSON pointer into the record.
    pub errors: Vec<ArgError>,
}

impl Recorded {
    /// Counts what became of the record at `index`.
    pub fn count(&mut self, index: usize, kept: Kept) {
        match kept {
            Kept::New => self.accepted += 1,
            Kept::Known => self.duplicates += 1,
            Kept::Wrong(error) => self.rejected.push(Rejected { index, errors: vec![error] }),
        }
    }

    /// One sentence for people.
    pub fn describe(&self) -> String {
        let (accepted, known, wrong) = (self.accepted, self.duplicates, self.rejected.len());
        format!("Records stored: {accepted}; known: {known}; rejected: {wrong}")
    }
}

/// Judges and keeps the records of a call, in order.
pub async fn add<R: Record>(cx: &mut WriteCx<'_>, batch: &Batch<R>) -> Result<Recorded, ActionError> {
    let (good, mut recorded) = judge::<R>(&batch.records, cx.now)?;
    let of: Vec<Id> = good.iter().filter_map(|(_, record)| record.agent()).collect();
    agents::hold(cx.tx, &of).await?;
    for (index, record) in good {
        let kept = record.keep(cx).await?;
        recorded.count(index, kept);
    }
    recorded.rejected.sort_by_key(|rejected| rejected.index);
    Ok(recorded)
}

/// The records that are well formed, each with its index, and what is said of the others so far.
pub fn judge<R: Timed>(records: &[Value], now: Ts) -> Result<(Vec<(usize, R)>, Recorded), ActionError> {
    let schema = InputSchema::new(schema_of::<R>()).map_err(ActionError::internal)?;
    let mut recorded = Recorded::default();
    let mut good = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate() {
        match read::<R>(&schema, record.clone(), now) {
            Ok(record) => good.push((index, record)),
            Err(errors) => recorded.rejected.push(Rejected { index, errors }),
        }
    }
    Ok((good, recorded))
}

fn read<R: Timed>(schema: &InputSchema, mut value: Value, now: Ts) -> Result<R, Vec<ArgError>> {
    let errors = schema.check(&mut value);
    if !errors.is_empty() {
        return Err(errors);
    }
    let record: R =
        serde_json::from_value(value).map_err(|fault| vec![ArgError::new("", "type", fault.to_string())])?;
    if record.at() > now.plus_seconds(AHEAD) {
        return Err(vec![ArgError::new(
            "/at",
            "future",
            format!("must not lie in the future; now is {now}"),
        )]);
    }
    Ok(record)
}

/// Writes a domain event about something that was reported, at the time that it happened.
pub fn happened(
    cx: &mut WriteCx<'_>,
    name: &str,
    permission: &str,
    user_id: Option<Id>,
    at: Ts,
    data: Value,
) {
    let row = EventRow {
        workspace_id: cx.caller.workspace,
        id: cx.new_id(),
        name: name.to_owned(),
        kind: "domain",
        session: None,
        user_id,
        permission: Some(permission.to_owned()),
        data,
        occurred_at: at,
    };
    cx.tx.event(row);
}
