//! Up to 100 records in one call, each validated separately. Valid records are stored even if others are
//! rejected.

use std::{borrow::Cow, future::Future, marker::PhantomData};

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolcrib_engine::prelude::*;
use toolcrib_registry::{ArgError, InputSchema, schema_of};
use toolcrib_store::{EventRow, StoreError, agents, reported_records};

/// Maximum number of records of a call. The call is one transaction, and SQLite has a single writer for all
/// workspaces.
const MAX_RECORDS: usize = 100;
/// How far a record's time may be in the future, in seconds, because clocks differ.
const AHEAD: i64 = 300;

/// The arguments of a call: records of one kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub struct Batch<R> {
    /// The records as they came.
    pub records: Vec<Value>,
    #[serde(skip)]
    kind: PhantomData<fn() -> R>,
}

/// The schema describes a record but accepts every item, so that an invalid record is rejected with its index
/// and the others are stored.
impl<R: JsonSchema> JsonSchema for Batch<R> {
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

pub fn records<R: JsonSchema>(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "description": "Records; each is checked separately. More than 100, or more than 1 MiB, need several calls.",
        "minItems": 1,
        "maxItems": MAX_RECORDS,
        "items": { "anyOf": [
            schema_of::<R>(),
            { "description": "An invalid record is listed in `rejected` with its index; the others are stored." },
        ] },
    })
}

pub trait Record: DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// Returns what the operation that reports these records declares.
    fn spec() -> Spec;

    /// Returns the agent whose activity the record reports.
    fn agent(&self) -> Option<Id>;

    /// Returns the row that the record locks and changes. Records of one row are stored in the order of the call.
    fn row(&self) -> Option<Id> {
        None
    }

    /// Stores the record. Has no effect if its ID is known.
    fn keep(self, cx: &mut WriteCx<'_>) -> impl Future<Output = Result<(), Stop>> + Send;
}

/// Why a report had no effect.
pub enum Stop {
    /// A record with this ID was stored before.
    Known,
    /// The record is invalid, impossible in the current status, or refers to something that does not exist.
    Wrong(ArgError),
    Failed(ActionError),
}

impl Stop {
    pub fn wrong(pointer: &str, code: &str, message: impl Into<String>) -> Self {
        Self::Wrong(ArgError::new(pointer, code, message.into()))
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// Stores the ID of a report. Returns [`Stop::Known`] if it is already stored.
pub async fn store_id(cx: &mut WriteCx<'_>, kind: &str, id: Id) -> Result<(), Stop> {
    if reported_records::insert(cx.tx, kind, id, cx.now).await? { Ok(()) } else { Err(Stop::Known) }
}

/// Checks that the agent of a report exists, unless the row that it changes already names it: a deleted agent may still
/// end its work.
pub async fn check_agent(cx: &mut WriteCx<'_>, agent: Option<Id>, known: Option<Id>) -> Result<(), Stop> {
    let Some(agent) = agent.filter(|agent| known != Some(*agent)) else { return Ok(()) };
    match agents::get(cx.tx, agent).await? {
        Some(_) => Ok(()),
        None => Err(Stop::wrong("/agent_id", "not_found", "there is no such agent in this workspace")),
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
    /// Counts the result of the record at `index`.
    pub fn count(&mut self, index: usize, stored: Result<(), Stop>) -> Result<(), ActionError> {
        match stored {
            Ok(()) => self.accepted += 1,
            Err(Stop::Known) => self.duplicates += 1,
            Err(Stop::Wrong(error)) => self.rejected.push(Rejected { index, errors: vec![error] }),
            Err(Stop::Failed(error)) => return Err(error),
        }
        Ok(())
    }

    /// Describes the result in one sentence for people.
    pub fn describe(&self) -> String {
        let (accepted, known, wrong) = (self.accepted, self.duplicates, self.rejected.len());
        format!("Records stored: {accepted}; known: {known}; rejected: {wrong}")
    }
}

/// The operation that validates and stores the records of a call, in order.
pub struct Add<R>(PhantomData<fn() -> R>);

impl<R> Add<R> {
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<R: Record> WriteAction for Add<R> {
    type Input = Batch<R>;
    type Output = Recorded;

    fn spec() -> Spec {
        R::spec()
    }

    async fn run(&self, cx: &mut WriteCx<'_>, batch: &Batch<R>) -> Result<Recorded, ActionError> {
        let (mut good, mut recorded) = validate::<R>(&batch.records, cx.now)?;
        // Rows are locked in one order, so that two calls about the same rows can't deadlock. The sort is stable.
        good.sort_by_key(|(_, record)| record.row());
        let of: Vec<Id> = good.iter().filter_map(|(_, record)| record.agent()).collect();
        agents::lock_all(cx.tx, &of).await?;
        for (index, record) in good {
            recorded.count(index, record.keep(cx).await)?;
        }
        recorded.rejected.sort_by_key(|rejected| rejected.index);
        Ok(recorded)
    }

    fn describe(_: &Batch<R>, recorded: &Recorded) -> String {
        recorded.describe()
    }
}

/// Returns the valid records, each with its index, and the result with the rejected ones.
pub fn validate<R: DeserializeOwned + JsonSchema>(
    records: &[Value],
    now: Ts,
) -> Result<(Vec<(usize, R)>, Recorded), ActionError> {
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

fn read<R: DeserializeOwned>(schema: &InputSchema, value: Value, now: Ts) -> Result<R, Vec<ArgError>> {
    let at: Option<Ts> = value.get("at").and_then(Value::as_str).and_then(|at| at.trim().parse().ok());
    let record = schema.deserialize(value)?;
    if at > Some(now.plus_seconds(AHEAD)) {
        return Err(vec![ArgError::new(
            "/at",
            "future",
            format!("must not lie in the future; now is {now}"),
        )]);
    }
    Ok(record)
}

/// Emits the domain event of a reported record, with the record's time.
pub fn happened(
    cx: &mut WriteCx<'_>,
    name: &str,
    permission: &str,
    user_id: Option<Id>,
    at: Ts,
    data: Value,
) {
    let event = cx.stamp().domain(cx.caller.workspace, name, permission, data);
    cx.tx.event(EventRow { user_id, occurred_at: at, ..event });
}
