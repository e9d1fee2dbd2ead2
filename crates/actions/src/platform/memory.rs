//! Actions on the memories of a workspace and its agents.

mod browse_memories;
mod delete_memory;
mod get_memory_stats;
mod search_memory;
mod store_memory;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![
        Action::read(get_memory_stats::GetMemoryStats),
        Action::write(store_memory::StoreMemory),
        Action::read(search_memory::SearchMemory),
        Action::paged(browse_memories::BrowseMemories),
        Action::write(delete_memory::DeleteMemory),
    ]
}
