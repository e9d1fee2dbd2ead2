//! Reads open calls.
#![deny(missing_docs)]

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use toolcrib_access::{Caller, Principal};
use toolcrib_auth::Authenticated;
use toolcrib_model::{Cursor, Id, Page, Ts};
use toolcrib_store::open_calls::{self, OpenCallQuery, OpenCallRow, OpenCallScope};

use super::{
    caller::{is_admin, is_own, not_found},
    view::OpenCallView,
};
use crate::{
    base::ActionError, catalog::Catalog, confirm::requester, declared::client_calls::to_run, engine::Engine,
    response::ToRun, shared::page_cursor,
};

/// Filter of the list.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenCallFilter {
    /// Only calls that have not ended.
    pub open: Option<bool>,
    /// Only your own calls and calls on your behalf; without it an admin sees all.
    pub mine: Option<bool>,
    /// Maximum number of items.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl Engine {
    /// Returns one call that this caller may see: its own, one on its behalf, or for an admin any.
    pub async fn open_call(
        &self,
        authenticated: &Authenticated,
        id: Id,
    ) -> Result<OpenCallView, ActionError> {
        let may_see = |caller: &Caller, row: &OpenCallRow| is_own(caller, row) || is_admin(caller);
        let (catalog, row) = self.read_open_call(authenticated, id, may_see).await?;
        Ok(OpenCallView::of(&catalog, &row))
    }

    /// Returns an open call as it is answered when it starts, for its caller: arguments are masked, since the claim has
    /// them. 404 once it has ended.
    pub async fn started_call(&self, authenticated: &Authenticated, id: Id) -> Result<ToRun, ActionError> {
        let may_see = |caller: &Caller, row: &OpenCallRow| is_own(caller, row) && row.state.is_open();
        let (catalog, row) = self.read_open_call(authenticated, id, may_see).await?;
        let arguments = row.arguments.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let arguments: Value = arguments.unwrap_or_default();
        let claim_by = row.claim_by.map(Ts::from_micros);
        let answer = to_run(&catalog, id, &row.action, arguments, claim_by);
        Ok(ToRun { tool_call_id: row.tool_call_id, ..answer })
    }

    /// Reads a call with the catalogue of its workspace. 404 if the caller may not see it.
    async fn read_open_call(
        &self,
        authenticated: &Authenticated,
        id: Id,
        may_see: fn(&Caller, &OpenCallRow) -> bool,
    ) -> Result<(Arc<Catalog>, OpenCallRow), ActionError> {
        let (caller, _) = self.admit(authenticated).await?;
        let mut tx = self.db.read(caller.workspace).await?;
        let row = open_calls::get(&mut tx, id).await?;
        let catalog = self.catalog_in(&mut tx).await?;
        tx.end().await?;
        let row = row.filter(|row| may_see(&caller, row)).ok_or_else(|| not_found(id))?;
        Ok((catalog, row))
    }

    /// Returns the calls that this caller may see, newest first.
    pub async fn open_calls(
        &self,
        authenticated: &Authenticated,
        filter: &OpenCallFilter,
    ) -> Result<Page<OpenCallView>, ActionError> {
        let (caller, _) = self.admit(authenticated).await?;
        let scope = match caller.principal {
            _ if is_admin(&caller) && !filter.mine.unwrap_or(false) => OpenCallScope::All,
            Principal::User { user_id } => OpenCallScope::User(user_id),
            _ => OpenCallScope::Principal(requester(&caller)),
        };
        let query = OpenCallQuery { scope, only_open: filter.open.unwrap_or(false) };
        let cursor = page_cursor(filter.cursor.as_deref())?;
        let limit = filter.limit.unwrap_or(20).clamp(1, 100);
        let mut tx = self.db.read(caller.workspace).await?;
        let rows = open_calls::list(&mut tx, &query, cursor, limit + 1).await?;
        let catalog = self.catalog_in(&mut tx).await?;
        tx.end().await?;
        let page = Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.call_id });
        Ok(page.map(|row| OpenCallView::of(&catalog, &row)))
    }
}
