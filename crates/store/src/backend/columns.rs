//! The columns of the tables whose rows are read whole.

/// Joins names of columns, each after an alias such as `"a."` or `""`.
///
/// A statement names the columns that it selects. With `*` a prepared statement of PostgreSQL fails from the moment at
/// which a migration adds a column, in every process of the version before ("cached plan must not change result type").
#[macro_export]
macro_rules! column_list {
    ($of:literal $first:literal $($other:literal)*) => {
        concat!($of, $first $(, ", ", $of, $other)*)
    };
}

/// The columns of a table, for a SELECT: `columns!(agents)`, or with an alias `columns!(agents "a.")`.
macro_rules! columns {
    ($table:ident) => {
        columns!($table "")
    };
    (action_log $of:literal) => {
        column_list!($of
            "workspace_id" "id" "occurred_at" "kind" "action" "permission_level" "via"
            "surface" "principal_kind" "principal_id" "user_id" "credential_id" "role"
            "system_admin" "caller_type" "caller_name" "session" "mission_id" "decision"
            "granted_by" "always_allow" "relayed_by" "reason" "arguments" "target"
            "error_code" "outcome" "duration_ms" "request_id" "trace_id" "confirmation_id"
            "minters" "edited_by" "issuer" "subject" "repaired" "executor" "definition"
            "call_ref" "reported_by")
    };
    (agents $of:literal) => {
        column_list!($of
            "workspace_id" "id" "name" "name_key" "slug" "role" "model" "status"
            "description" "system_prompt" "temperature" "tags" "version" "created_by"
            "created_at" "updated_at" "last_active_at" "tool_count" "skill_count"
            "plugin_count" "heartbeat" "prompted")
    };
    (alerts $of:literal) => {
        column_list!($of
            "workspace_id" "fingerprint" "starts_at" "ended_at" "name" "severity" "subject"
            "summary" "labels" "received_at")
    };
    (assistant_calls $of:literal) => {
        column_list!($of
            "workspace_id" "id" "run_id" "step" "position" "provider_id" "name" "arguments"
            "action" "state" "confirmation_id" "call_id" "answer" "is_error")
    };
    (assistant_runs $of:literal) => {
        column_list!($of
            "workspace_id" "id" "owner_id" "user_id" "kind" "ref_id" "position" "thread"
            "message_id" "agent_id" "caller" "model" "upstream" "message" "preface"
            "history_from" "state" "stop" "fence" "lease_until" "lost" "deadline" "steps"
            "input_tokens" "cached_input_tokens" "output_tokens" "cost_microusd"
            "cost_known" "error_code" "error" "created_at" "updated_at" "ended_at")
    };
    (assistant_steps $of:literal) => {
        column_list!($of
            "workspace_id" "run_id" "step" "text" "reasoning" "provider_message" "format"
            "model" "prefix" "finish" "input_tokens" "cached_input_tokens" "output_tokens"
            "estimated" "duration_ms" "created_at")
    };
    (blueprints $of:literal) => {
        column_list!($of
            "workspace_id" "id" "name" "name_key" "description" "rules" "default_slot"
            "version" "created_by" "created_at" "updated_at")
    };
    (chunks $of:literal) => {
        column_list!($of
            "seq" "workspace_id" "id" "document_id" "position" "content" "tokens"
            "created_at")
    };
    (confirmations $of:literal) => {
        column_list!($of
            "workspace_id" "id" "action" "schema_digest" "arguments" "arguments_digest"
            "target_id" "target_label" "target_detail" "target_version" "summary" "more"
            "warning" "level" "requester" "requester_kind" "requester_id"
            "requester_user_id" "session" "tool_call_id" "tool_format" "via" "surface"
            "request_id" "idempotency_key" "status" "phrase_attempts" "created_at"
            "expires_at" "decided_at" "decided_by" "reason" "call_id" "result" "history"
            "upstream_target" "repaired" "superseded_by")
    };
    (connections $of:literal) => {
        column_list!($of
            "workspace_id" "id" "app" "name" "name_key" "created_by" "created_at")
    };
    (execution_steps $of:literal) => {
        column_list!($of
            "workspace_id" "execution_id" "position" "prompt" "agent_id" "on_error"
            "output_key" "status" "output" "error" "started_at" "finished_at")
    };
    (executions $of:literal) => {
        column_list!($of
            "workspace_id" "id" "playbook_id" "playbook_name" "agent_id" "status" "input"
            "error" "requested_by_kind" "requested_by" "created_at" "started_at"
            "finished_at" "output" "caller")
    };
    (field_entries $of:literal) => {
        column_list!($of
            "seq" "workspace_id" "id" "mission_id" "key" "value" "tokens" "strength"
            "reinforced_at" "version" "created_by" "created_at")
    };
    (field_writes $of:literal) => {
        column_list!($of
            "workspace_id" "id" "mission_id" "entry_id" "changed" "written_by" "written_at")
    };
    (heartbeats $of:literal) => {
        column_list!($of
            "workspace_id" "agent_id" "enabled" "interval_minutes" "prompt" "active_hours"
            "mode" "next_due_at" "updated_at" "caller" "set_by")
    };
    (invitations $of:literal) => {
        column_list!($of
            "workspace_id" "id" "code_hash" "role" "email" "inviter" "invited_by" "issuer"
            "created_at" "expires_at" "used_by" "used_at" "revoked_at")
    };
    (keys $of:literal) => {
        column_list!($of
            "workspace_id" "id" "kind" "name" "secret_hash" "agent_id" "runs_as"
            "mission_id" "role" "scopes" "caller_types" "created_by" "created_at"
            "expires_at" "revoked_at" "last_used_at" "parent_id" "old_secret_hash"
            "old_secret_until")
    };
    (marketplace_items $of:literal) => {
        column_list!($of
            "id" "kind" "slug" "name" "name_key" "category" "description" "tags"
            "search_key" "status" "version" "author" "content" "built_in" "install_count"
            "published_at" "updated_at")
    };
    (memories $of:literal) => {
        column_list!($of
            "seq" "workspace_id" "id" "agent_id" "kind" "content" "content_hash" "tokens"
            "tags" "version" "created_by" "created_at" "bytes")
    };
    (messages $of:literal) => {
        column_list!($of
            "seq" "workspace_id" "id" "occurred_at" "chat_id" "user_id" "agent_id" "role"
            "text" "tokens")
    };
    (mission_tasks $of:literal) => {
        column_list!($of
            "workspace_id" "id" "mission_id" "position" "title" "description" "agent_id"
            "status" "depends_on" "output" "error" "created_at" "updated_at")
    };
    (missions $of:literal) => {
        column_list!($of
            "workspace_id" "id" "goal" "state" "max_cost_microusd" "max_tokens"
            "alert_at_percent" "reason" "version" "created_by" "created_at" "updated_at"
            "started_at" "finished_at" "caller")
    };
    (models $of:literal) => {
        column_list!($of
            "model" "provider" "name" "context_tokens" "max_output_tokens"
            "input_microusd_per_mtok" "output_microusd_per_mtok" "capabilities" "tier"
            "built_in" "updated_at")
    };
    (notifications $of:literal) => {
        column_list!($of
            "workspace_id" "id" "kind" "audience" "user_id" "title" "body" "data" "call_id"
            "created_at" "except_user_id" "confirmation_id")
    };
    (open_calls $of:literal) => {
        column_list!($of
            "workspace_id" "call_id" "executor" "action" "definition" "principal_kind"
            "principal_id" "user_id" "session" "requester" "arguments" "arguments_digest"
            "state" "created_at" "claim_by" "end_by" "claimed_at" "ended_at"
            "confirmation_id" "tool_call_id" "tool_format" "idempotency_key" "result"
            "report_digest")
    };
    (open_effects $of:literal) => {
        column_list!($of
            "workspace_id" "call_id" "action" "target_key" "arguments" "plan" "requester"
            "started_at" "next_look" "looks" "output")
    };
    (operator_keys $of:literal) => {
        column_list!($of
            "id" "name" "secret_hash" "scopes" "created_at" "expires_at" "revoked_at")
    };
    (playbooks $of:literal) => {
        column_list!($of
            "workspace_id" "id" "name" "name_key" "description" "tags" "status" "cron"
            "timezone" "next_run_at" "max_retries" "step_timeout_s" "version" "created_by"
            "created_at" "updated_at" "caller" "set_by")
    };
    (reports $of:literal) => {
        column_list!($of
            "workspace_id" "id" "agent_id" "agent_name" "title" "content" "kind" "status"
            "summary" "metrics" "created_by" "created_at")
    };
    (schedules $of:literal) => {
        column_list!($of
            "workspace_id" "id" "kind" "description" "due" "timezone" "agent_id" "status"
            "max_runs" "runs" "next_at" "last_at" "version" "created_by" "created_at"
            "updated_at" "caller")
    };
    (sessions $of:literal) => {
        column_list!($of
            "id_hash" "issuer" "subject" "workspace" "name" "system_admin" "way"
            "created_at" "used_at" "ends_at")
    };
    (task_history $of:literal) => {
        column_list!($of
            "workspace_id" "id" "task_id" "event" "from_status" "to_status" "agent_id"
            "note" "actor_kind" "actor_id" "occurred_at")
    };
    (tasks $of:literal) => {
        column_list!($of
            "workspace_id" "id" "title" "description" "priority" "status" "agent_id"
            "parent_id" "tags" "due_at" "version" "created_by" "created_at" "updated_at"
            "done_at")
    };
    (users $of:literal) => {
        column_list!($of
            "id" "issuer" "subject" "display_name" "created_at")
    };
    (webhooks $of:literal) => {
        column_list!($of
            "workspace_id" "id" "format" "url" "receiver" "types" "enabled" "place" "since"
            "free_at" "secret_encrypted" "previous_encrypted" "previous_until" "created_by"
            "created_at" "updated_at")
    };
    (workspaces $of:literal) => {
        column_list!($of
            "id" "name" "external_id" "plan" "approval_mode" "four_eyes"
            "agents_inherit_admin" "approve_url_template" "write_per_minute"
            "read_per_minute" "external_per_minute" "default_model" "access_version"
            "created_at" "updated_at" "deleted_at" "promotions" "write_share_percent"
            "open_confirmations" "open_confirmations_per_caller" "toolset_version"
            "client_per_minute" "packs" "assistant_run_microusd" "assistant_day_microusd"
            "assistant_background_microusd" "runner")
    };
}

/// A SELECT of the columns of a table: `select!(agents " FROM agents WHERE …")`, or with an alias
/// `select!(agents "a." …)`.
macro_rules! select {
    ($table:ident $rest:literal) => {
        concat!("SELECT ", columns!($table), $rest)
    };
    ($table:ident $of:literal $rest:literal) => {
        concat!("SELECT ", columns!($table $of), $rest)
    };
}

/// The SELECT of a row of the workspace by its id: `by_id!(agents)`.
macro_rules! by_id {
    ($table:ident) => {
        concat!(
            "SELECT ",
            columns!($table),
            " FROM ",
            stringify!($table),
            " WHERE workspace_id = $1 AND id = $2"
        )
    };
}
