//! The tables of the pack, one file for each: rows and statements. A statement names its workspace and its project.

/// The columns of a table whose rows are read whole, for a SELECT: `columns_of!(game_plans)`, or with an alias
/// `columns_of!(game_plans "p.")`. [`toolcrib_store::column_list`] says why statements name them.
macro_rules! columns_of {
    ($table:ident) => {
        columns_of!($table "")
    };
    (game_brainstorms $of:literal) => {
        toolcrib_store::column_list!($of
            "workspace_id" "project_id" "id" "title" "author" "source" "tags" "bytes"
            "created_by" "created_at" "content")
    };
    (game_messages $of:literal) => {
        toolcrib_store::column_list!($of
            "workspace_id" "project_id" "thread_id" "id" "parent_id" "created_by"
            "created_at" "content")
    };
    (game_plans $of:literal) => {
        toolcrib_store::column_list!($of
            "workspace_id" "project_id" "id" "version_label" "label_key" "title"
            "description" "status" "created_by" "created_at" "finalized_by" "finalized_at"
            "sha256" "snapshot")
    };
    (game_projects $of:literal) => {
        toolcrib_store::column_list!($of
            "workspace_id" "id" "name" "name_key" "description" "genre" "platform" "status"
            "version" "created_by" "created_at" "updated_at")
    };
    (game_system_changes $of:literal) => {
        toolcrib_store::column_list!($of
            "workspace_id" "project_id" "id" "system_id" "system_name" "kind" "summary"
            "fields" "changed_by" "changed_at")
    };
    (game_systems $of:literal) => {
        toolcrib_store::column_list!($of
            "workspace_id" "project_id" "id" "name" "slug" "status" "mvp_criticality"
            "brainstorm_id" "version" "created_by" "created_at" "updated_at" "purpose"
            "current_state" "target_state" "core_mechanics" "inputs" "outputs"
            "failure_states" "scaling_behavior" "implementation_notes" "open_questions")
    };
    (game_threads $of:literal) => {
        toolcrib_store::column_list!($of
            "workspace_id" "project_id" "id" "title" "message_count" "last_message_at"
            "brainstorm_id" "created_by" "created_at")
    };
}

/// A SELECT of the columns of a table: `select_of!(game_plans " FROM game_plans WHERE …")`, or with an alias
/// `select_of!(game_plans "p." …)`.
macro_rules! select_of {
    ($table:ident $rest:literal) => {
        concat!("SELECT ", columns_of!($table), $rest)
    };
    ($table:ident $of:literal $rest:literal) => {
        concat!("SELECT ", columns_of!($table $of), $rest)
    };
}

#[cfg(test)]
mod tests;

/// All tables, in an order in which their rows can be deleted.
pub const ALL: [&str; 11] = [
    "game_exports",
    "game_thread_reads",
    "game_messages",
    "game_threads",
    "game_plan_systems",
    "game_plans",
    "game_brainstorms",
    "game_dependencies",
    "game_system_changes",
    "game_systems",
    "game_projects",
];

pub mod activity;
pub mod brainstorms;
pub mod dependencies;
pub mod exports;
pub mod plans;
pub mod projects;
pub mod systems;
pub mod threads;
