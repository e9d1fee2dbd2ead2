//! Types that every other crate uses: ids, time, roles, error codes, paging, a queue that is fair to workspaces, and
//! buckets that count calls.
//!
//! Depends on no other crate of this workspace and does no I/O. Only this crate reads randomness and the wall
//! clock, behind [`IdGen`] and [`Clock`].
//!
//! To add a type: one file with one type, re-exported below.

#[macro_use]
mod closed_set;

mod audit_words;
mod call_words;
mod caller_type;
mod clock;
mod confirmation_words;
mod count;
mod cron;
mod error_code;
mod fair_queue;
mod id;
mod json;
mod lossy_json;
mod name;
mod network;
mod notification_words;
mod page;
mod role;
mod run_words;
mod serving_words;
mod ts;
mod visible;

pub mod buckets;

pub use audit_words::{AuditDecision, AuditKind, GrantedBy, Outcome, Surface, Via};
pub use call_words::{ExecutorKind, Mutation, OpenCallState};
pub use caller_type::CallerType;
pub use clock::{Clock, SystemClock, TestClock};
pub use closed_set::UnknownWord;
pub use confirmation_words::ConfirmationStatus;
pub use count::{count, dollars};
pub use cron::{Cron, CronError, time_zone};
pub use error_code::ErrorCode;
pub use fair_queue::FairQueue;
pub use id::{Id, IdGen, SystemIds, derived_id};
pub use json::{JsonError, NUMBER_KEY, count_values, parse_strict};
pub use lossy_json::parse_lossy;
pub use name::{kept_name, name_key, person_name};
pub use network::{Network, NoNetwork, ProxyHeader};
pub use notification_words::NotificationKind;
pub use page::{Cursor, Page, PageArgs, Paged};
pub use role::Role;
pub use run_words::{ModelFormat, PlannedCallState, RunFinish, RunKind, RunState, WorkRunner};
pub use serving_words::ServingState;
pub use ts::{Ts, instant_in};
pub use visible::{characters, code_point, is_private_use, visible, visible_lines};
