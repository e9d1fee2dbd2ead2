//! The look-ups that run at once: one in each workspace.

use std::{collections::HashMap, sync::Arc};

use tokio::task::{self, JoinSet};
use toolcrib_model::Id;
use toolcrib_store::open_effects;

use super::LookupOutcome;
use crate::{base::ActionError, engine::Engine};

/// How many workspaces have a look-up at once.
const MAX_WORKSPACES: usize = 16;

/// The look-ups that run, at most one in each workspace. Dropping it aborts them.
#[derive(Default)]
pub struct EffectLookups {
    /// Each returns how many effects ended.
    tasks: JoinSet<usize>,
    workspaces: HashMap<task::Id, Id>,
}

impl EffectLookups {
    /// Takes the tasks that ended. Returns how many effects ended.
    fn take_ended(&mut self) -> usize {
        let mut ended = 0;
        while let Some(task) = self.tasks.try_join_next_with_id() {
            let (id, count) = task.unwrap_or_else(|error| (error.id(), 0));
            self.workspaces.remove(&id);
            ended += count;
        }
        ended
    }

    fn has_room_for(&self, workspace: Id) -> bool {
        self.workspaces.len() < MAX_WORKSPACES && !self.workspaces.values().any(|busy| *busy == workspace)
    }
}

impl Engine {
    /// Looks up the effects whose time has come, and waits for all look-ups. Returns how many ended.
    pub async fn look_up_effects(self: &Arc<Self>) -> Result<usize, ActionError> {
        let mut lookups = EffectLookups::default();
        self.start_lookups(&mut lookups).await?;
        Ok(lookups.tasks.join_all().await.into_iter().sum())
    }

    /// Begins to look up the effects whose time has come: a task for each workspace, so that a service that does not
    /// answer delays no other workspace. Returns how many effects of tasks that are done ended. Runs in a worker.
    pub async fn start_lookups(self: &Arc<Self>, lookups: &mut EffectLookups) -> Result<usize, ActionError> {
        let ended = lookups.take_ended();
        // Effects of a pack that this build lacks are for other processes.
        let actions: Arc<[String]> = self.catalog().effects().map(str::to_owned).collect();
        let limit = i64::try_from(MAX_WORKSPACES).unwrap_or(i64::MAX);
        for workspace in open_effects::due(&self.db, self.clock.now(), &actions, limit).await? {
            if lookups.has_room_for(workspace) {
                let (engine, actions) = (self.clone(), actions.clone());
                let task = lookups.tasks.spawn(async move { engine.look_up_in(workspace, &actions).await });
                lookups.workspaces.insert(task.id(), workspace);
            }
        }
        Ok(ended)
    }

    /// Looks up the due effects of a workspace, one after another. Returns how many ended.
    async fn look_up_in(&self, workspace: Id, actions: &[String]) -> usize {
        let mut ended = 0;
        loop {
            match self.look_up_next(workspace, actions).await {
                Ok(None) => return ended,
                Ok(Some(outcome)) => ended += usize::from(matches!(outcome, LookupOutcome::Ended)),
                Err(exit) => {
                    let error = ActionError::from(exit);
                    tracing::error!(%workspace, cause = error.cause(), "effects can't be looked up now");
                    return ended;
                }
            }
        }
    }
}
