//! What runs of the assistant are told of packs when they begin.

use toolcrib_registry::{Permission, Verb};
use toolcrib_store::Tx;

use super::{AdmittedCaller, Engine};
use crate::{
    base::ActionError,
    catalog::{CallerTools, ReadCx},
};

/// Characters of one brief.
const MAX_BRIEF: usize = 1_000;

/// What a pack tells of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackBrief {
    pub title: &'static str,
    /// Data of the workspace, and no instructions.
    pub text: String,
}

impl Engine {
    /// Returns what the packs that are on tell of the workspace, if the caller may read them.
    pub async fn briefs(&self, admitted: &AdmittedCaller) -> Result<Vec<PackBrief>, ActionError> {
        let mut tx = self.db.read(admitted.caller.workspace).await?;
        let told = self.briefs_in(&mut tx, admitted).await;
        tx.end().await?;
        told
    }

    async fn briefs_in(
        &self,
        tx: &mut Tx,
        AdmittedCaller { caller, policy, catalog }: &AdmittedCaller,
    ) -> Result<Vec<PackBrief>, ActionError> {
        let mut told = Vec::new();
        for pack in catalog.packs_on(&policy.packs) {
            let info = pack.pack.info;
            let may_read = caller.holds(&Permission::of_pack(info.slug, Verb::Read));
            let Some(brief) = pack.pack.brief.filter(|_| may_read) else { continue };
            let cx = ReadCx {
                caller,
                policy,
                now: self.clock.now(),
                tx: &mut *tx,
                tools: CallerTools::new(catalog, caller, policy),
                limiter: self.limiter.as_ref(),
                grants: self.grants.as_ref(),
            };
            match brief(cx).await {
                Ok(Some(text)) => told.push(PackBrief { title: info.title, text: shortened(text) }),
                Ok(None) => {}
                // Such as a header with a project that is gone: the calls say so.
                Err(error) if error.code.status() < 500 => {}
                Err(error) => return Err(error),
            }
        }
        Ok(told)
    }
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_BRIEF) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
