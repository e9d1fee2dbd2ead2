//! Access control. [`decide`] is the only function that decides whether a caller may call an action. It reads nothing
//! of the caller and the policy but [`AccessFacts`], so that what depends on it can be cached by them.
//!
//! Depends on `model` and `registry` and does no I/O. Lists, checks and execution all use it.
//!
//! To add a rule: a variant of [`Rule`], a function in `decide`, a line in the property tests; what it reads of the
//! caller or the policy is a field of [`AccessFacts`].

mod caller;
mod decide;
mod delegation;
mod escalation;
mod facts;
mod policy;
mod principal;
mod role_permissions;
mod scope;

pub use caller::{Caller, PackContexts};
pub use decide::{Decision, Factor, Rule, decide};
pub use delegation::{Authority, Delegation, Minter, Provenance, RevokedReason, TokenSubject};
pub use escalation::scope_within;
pub use facts::AccessFacts;
pub use policy::{ApprovalMode, EnabledPacks, Limits, OpenConfirmations, WorkspacePolicy};
pub use principal::{Principal, PrincipalKind};
pub use role_permissions::{capped, least_role, role_holds};
pub use scope::{Scope, Scopes, Special, UnknownScope};
