//! Masks names of a workspace's records in queries for actions.

use std::{borrow::Cow, ops::Range};

use toolcrib_discovery::{NameKind, Search, mask_names};
use toolcrib_store::{
    Tx,
    named_records::{self, NamedRecords},
};

use crate::base::ActionError;

/// Replaces names of the workspace's agents, playbooks and documents in a query by the words for their kinds.
/// Every search over actions calls it first: otherwise an agent called "Churn digest" would make a query look
/// like one about digests. Reads nothing if no part of the query may be a name.
///
/// Needs no permission beyond membership, because the masked query is only searched for and never returned.
pub async fn mask_query<'q>(
    tx: &mut Tx,
    search: &Search,
    query: &'q str,
) -> Result<Cow<'q, str>, ActionError> {
    mask_candidates(tx, query, search.name_candidates(query)).await
}

/// Like [`mask_query`], with the candidates of the query.
pub(crate) async fn mask_candidates<'q>(
    tx: &mut Tx,
    query: &'q str,
    candidates: Vec<Range<usize>>,
) -> Result<Cow<'q, str>, ActionError> {
    if candidates.is_empty() {
        return Ok(Cow::Borrowed(query));
    }
    let texts: Vec<&str> =
        candidates.iter().map(|range| query.get(range.clone()).unwrap_or_default()).collect();
    let records = named_records::find(tx, &texts).await?;
    let named = |(range, records)| Some((range, kind(&records)?));
    let names: Vec<(Range<usize>, NameKind)> =
        candidates.into_iter().zip(records).filter_map(named).collect();
    Ok(if names.is_empty() { Cow::Borrowed(query) } else { Cow::Owned(mask_names(query, &names)) })
}

/// Returns the kind of the records with a name. Of several kinds, the first counts.
fn kind(records: &NamedRecords) -> Option<NameKind> {
    let kinds = [
        (records.agent, NameKind::Agent),
        (records.playbook, NameKind::Playbook),
        (records.document, NameKind::Document),
    ];
    kinds.into_iter().find_map(|(found, kind)| found.then_some(kind))
}
