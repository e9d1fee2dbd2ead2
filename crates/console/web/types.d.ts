// Made from openapi/openapi.json by scripts/gen-web.
export interface paths {
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who the caller is here: role, permissions, scopes, limits, and the workspaces of the person
         * @description Who the caller is here: role, permissions, scopes, limits, and the workspaces of the person.
         *
         *     Level `read`. Every caller with a valid credential.
         */
        get: operations["me_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/confirmations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List confirmations, newest first
         * @description Lists the caller's own confirmations; an admin sees all.
         */
        get: operations["list_confirmations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/confirmations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one confirmation with its full arguments
         * @description With `wait` the response is held until a decision. A decided confirmation contains the result of the call.
         */
        get: operations["get_confirmation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tools of this caller
         * @description The same bytes for the same permissions and query; send `If-None-Match`.
         */
        get: operations["list_tools"];
        put?: never;
        /**
         * List the tools of this caller for the user's words
         * @description Use it when the tools depend on the user's words: bodies are not logged, URLs are.
         */
        post: operations["list_tools_for_turn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search actions by intent
         * @description Returns ranked actions that this caller may call, each with an example call.
         */
        post: operations["search_tools"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the actions of this caller
         * @description Metadata and schemas, for programs. Models use `/v1/tools`.
         */
        get: operations["list_actions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/actions/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One action
         * @description 403 if the action exists and this caller may not call it.
         */
        get: operations["get_action"];
        put?: never;
        /**
         * Call an action by its name
         * @description For programs that choose the action at run time. Each action also has a typed operation.
         */
        post: operations["call_action"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/actions/{name}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a call without running it
         * @description The body is that of the call. The action does not run, and its rate limit is not used.
         */
        post: operations["check_action"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain whether a member, or a person with a role, may call an action now, with every rule that decides it
         * @description Explain whether a member, or a person with a role, may call an action now, with every rule that decides it.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `audit:read`. A key needs a scope that covers it, such as `audit:read`.
         */
        get: operations["access_explain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/matrix": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List which role may call which action in this workspace now
         * @description List which role may call which action in this workspace now.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `audit:read`. A key needs a scope that covers it, such as `audit:read`.
         */
        get: operations["access_matrix"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the actions that a role and caller type may call in this workspace, and why not the others
         * @description List the actions that a role and caller type may call in this workspace, and why not the others.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `audit:read`. A key needs a scope that covers it, such as `audit:read`.
         */
        get: operations["access_report"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/scopes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the scopes that keys may have, in words, and whether you may give each
         * @description List the scopes that keys may have, in words, and whether you may give each.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `keys:read`. A key needs a scope that covers it, such as `keys:read`.
         */
        get: operations["access_scopes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the tool list that a caller with a role and caller type gets, and the size of its list by each strategy
         * @description Show the tool list that a caller with a role and caller type gets, and the size of its list by each strategy.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `audit:read`. A key needs a scope that covers it, such as `audit:read`.
         */
        get: operations["access_tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/assistant/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's threads, the last used first
         * @description List the caller's threads, the last used first.
         *
         *     Level `read`. Users with the role `member` or above, who have the permission `assistant:use`. A key needs a scope that covers it, such as `assistant:use`.
         */
        get: operations["assistant_list_threads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/assistant/threads/{thread}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the newest messages of a thread of the caller, as front ends show them
         * @description Read the newest messages of a thread of the caller, as front ends show them.
         *
         *     Level `read`. Users with the role `member` or above, who have the permission `assistant:use`. A key needs a scope that covers it, such as `assistant:use`.
         */
        get: operations["assistant_get_thread"];
        put?: never;
        post?: never;
        /**
         * Delete the texts of a thread of the caller
         * @description Delete the texts of a thread of the caller. The audit log keeps its calls.
         *
         *     Level `write`. Users with the role `member` or above, who have the permission `assistant:use`. A key needs a scope that covers it, such as `assistant:use`.
         */
        delete: operations["assistant_delete_thread"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List rows of the workspace's audit log by any of their fields: newest first or in the order of the chain
         * @description List rows of the workspace's audit log by any of their fields: newest first or in the order of the chain. Newest first and with a filter other than a period, a page is made of at most 10,000 rows of the log: it may have fewer rows than `limit`, or none, and a `next_cursor` that continues. `group=call` lists calls in place of rows, each as it ended, with what happened in between.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `audit:read`. A key needs a scope that covers it, such as `audit:read`.
         */
        get: operations["audit_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the calls of the audit log by one of their fields, for charts: each once, as it ended, at the time when it was made
         * @description Count the calls of the audit log by one of their fields, for charts: each once, as it ended, at the time when it was made. `group=row` counts rows.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `audit:read`. A key needs a scope that covers it, such as `audit:read`.
         */
        get: operations["audit_stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify that no row of the workspace's audit log was changed, removed, inserted, reordered or truncated
         * @description Verify that no row of the workspace's audit log was changed, removed, inserted, reordered or truncated.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `audit:read`. A key needs a scope that covers it, such as `audit:read`.
         */
        get: operations["audit_verify"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/{call_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the audit log's row of one call, by the `call_id` of its answer, with its later outcome if the call ran elsewhere
         * @description Get the audit log's row of one call, by the `call_id` of its answer, with its later outcome if the call ran elsewhere.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `audit:read`. A key needs a scope that covers it, such as `audit:read`.
         */
        get: operations["audit_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workspace's members, newest first, inactive ones included
         * @description List the workspace's members, newest first, inactive ones included.
         *
         *     Level `read`. Users with the role `viewer` or above, who have the permission `members:read`. A key needs a scope that covers it, such as `members:read`.
         */
        get: operations["members_list"];
        put?: never;
        /**
         * Add a member to the workspace, identified by issuer and subject of their tokens
         * @description Add a member to the workspace, identified by issuer and subject of their tokens.
         *
         *     Level `write`. Users with the role `admin` or above, who have the permission `members:manage`. A key needs a scope that covers it, such as `members:manage`.
         */
        post: operations["members_add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workspace's invitations, newest first, with those that were used, expired in the last thirty days or were revoked
         * @description List the workspace's invitations, newest first, with those that were used, expired in the last thirty days or were revoked. Never shows codes.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `members:manage`. A key needs a scope that covers it, such as `members:manage`.
         */
        get: operations["invitations_list"];
        put?: never;
        /**
         * Invite a person
         * @description Invite a person. Whoever signs in to the console with the code, once within seven days, becomes a member with the lower of this role and what you may give then.
         *
         *     Level `write`. Users with the role `admin` or above, who have the permission `members:manage`. A key needs a scope that covers it, such as `members:manage`.
         */
        post: operations["invitations_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workspaces in which the caller is a member, newest first, each with the role there
         * @description List the workspaces in which the caller is a member, newest first, each with the role there. A system admin gets all workspaces.
         *
         *     Level `read`. Every caller with a valid credential.
         */
        get: operations["workspaces_list"];
        put?: never;
        /**
         * Create a workspace with its owner
         * @description Create a workspace with its owner. For system admins and operator keys.
         *
         *     Level `write`. System admins, and operator keys with the scope `workspaces:create`.
         */
        post: operations["workspaces_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a member and what depends on them: keys that they created and objects that they own
         * @description Get a member and what depends on them: keys that they created and objects that they own.
         *
         *     Level `read`. Users with the role `viewer` or above, who have the permission `members:read`. A key needs a scope that covers it, such as `members:read`.
         */
        get: operations["members_get"];
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Remove a member. From the next call on, the member, agents that run as them and keys that they created have no permissions here.
         *
         *     Level `write`. Users with the role `admin` or above, who have the permission `members:manage`. A key needs a scope that covers it, such as `members:manage`.
         */
        delete: operations["members_remove"];
        options?: never;
        head?: never;
        /**
         * Change a member's role, or deactivate or activate the membership
         * @description Change a member's role, or deactivate or activate the membership. It takes effect with the next call.
         *
         *     Level `write`. Users with the role `admin` or above, who have the permission `members:manage`. A key needs a scope that covers it, such as `members:manage`.
         */
        patch: operations["members_update"];
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workspace's keys, newest first, with the people who created each and its permissions now
         * @description List the workspace's keys, newest first, with the people who created each and its permissions now. Includes revoked keys; never shows secrets.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `keys:manage`. A key needs a scope that covers it, such as `keys:manage`.
         */
        get: operations["keys_list"];
        put?: never;
        /**
         * Create a key for an agent or a service
         * @description Create a key for an agent or a service. Its secret is shown once.
         *
         *     Level `write`. Users with the role `admin` or above, who have the permission `keys:manage`. A key needs a scope that covers it, such as `keys:manage`.
         */
        post: operations["keys_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adopt a key: your permissions limit it from now on, instead of those of its creator
         * @description Adopt a key: your permissions limit it from now on, instead of those of its creator. Its ID, secret, confirmations and grants stay.
         *
         *     Level `write`. Users with the role `admin` or above, who have the permission `keys:manage`. A key needs a scope that covers it, such as `keys:manage`.
         */
        post: operations["keys_adopt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the workspace's settings and limits
         * @description Get the workspace's settings and limits.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `settings:manage`. A key needs a scope that covers it, such as `settings:manage`. Also system admins who are not members, and operator keys with the scope `workspaces:limits`.
         */
        get: operations["settings_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the workspace's settings
         * @description Change the workspace's settings. Only an owner can weaken them, and only a system admin can change limits.
         *
         *     Level `write`. Users with the role `admin` or above, who have the permission `settings:manage`. A key needs a scope that covers it, such as `settings:manage`. Also system admins who are not members, and operator keys with the scope `workspaces:limits`.
         */
        patch: operations["settings_update"];
        trace?: never;
    };
    "/v1/packs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the packs of this build, with the workspace's switches and settings
         * @description List the packs of this build, with the workspace's switches and settings.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `toolsets:read`. A key needs a scope that covers it, such as `toolsets:read`.
         */
        get: operations["packs_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/promotions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller types and agents whose promoted actions differ from the default
         * @description List the caller types and agents whose promoted actions differ from the default.
         *
         *     Level `read`. Users with the role `editor` or above, who have the permission `agents:manage`. A key needs a scope that covers it, such as `agents:manage`.
         */
        get: operations["promotions_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your notifications, newest first
         * @description List your notifications, newest first. Admins also see those for admins.
         *
         *     Level `read`. Users with the role `viewer` or above, who have the permission `notifications:read`. A key needs a scope that covers it, such as `notifications:read`.
         */
        get: operations["notifications_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workspace's webhooks, newest first; never their secrets
         * @description List the workspace's webhooks, newest first; never their secrets.
         *
         *     Level `read`. Users with the role `admin` or above, who have the permission `settings:manage`. A key needs a scope that covers it, such as `settings:manage`.
         */
        get: operations["webhooks_list"];
        put?: never;
        /**
         * Create a webhook that delivers the workspace's events to a URL, or messages to people by Slack, Telegram or Twilio
         * @description Create a webhook that delivers the workspace's events to a URL, or messages to people by Slack, Telegram or Twilio.
         *
         *     Level `write`. Users with the role `admin` or above, who have the permission `settings:manage`. A key needs a scope that covers it, such as `settings:manage`.
         */
        post: operations["webhooks_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description RFC 9457 problem details. */
        Problem: {
            /**
             * Format: uri-reference
             * @description URL of the description of the code.
             */
            type: string;
            title: string;
            status: number;
            /**
             * @description A stable error code; branch on it.
             * @enum {unknown}
             */
            code: "malformed_request" | "workspace_required" | "unauthenticated" | "permission_denied" | "workspace_mismatch" | "insufficient_scope" | "unknown_action" | "not_found" | "method_not_allowed" | "conflict" | "already_decided" | "in_progress" | "budget_exceeded" | "cycle_detected" | "precondition_failed" | "expired" | "void" | "payload_too_large" | "unsupported_media_type" | "invalid_arguments" | "phrase_mismatch" | "idempotency_mismatch" | "rate_limited" | "too_many_pending" | "internal" | "connector_not_configured" | "upstream_error" | "authorization_unavailable" | "audit_unavailable" | "limiter_unavailable" | "store_unavailable" | "outcome_unknown" | "overloaded" | "timeout";
            detail: string;
            /** @description What to do instead. */
            hint?: string;
            action?: string;
            description?: string;
            /** Format: date-time */
            executed_at?: string;
            /** Format: uuid */
            call_id?: string;
            request_id: string;
            /** @description What the service that runs the tool answered: at most its first 2 KiB, written by others. */
            upstream_message?: string;
            errors: components["schemas"]["ArgError"][];
            /** @description The corrected call. */
            call?: unknown;
            retryable?: boolean;
            /** @description Seconds to wait. */
            retry_after?: number;
        };
        /** @description A problem of the arguments. */
        ArgError: {
            /** @description JSON pointer into the arguments, such as `/temperature`. */
            pointer: string;
            /** @description Schema keyword that was violated, such as `maximum`, or the name of a rule. */
            code: string;
            /** @description Expected value. */
            message: string;
            /** @description Value that was given, cut to 200 characters; absent if there was none. */
            got?: unknown;
        };
        /** @description A confirmation. */
        Confirmation: {
            /**
             * Format: uuid
             * @description ID.
             */
            id: string;
            /**
             * @description `pending`, `awaiting_phrase`, `running`, `executed`, `failed`, `unknown`, `denied`, `expired`, `superseded` or
             *     `void`.
             */
            status: string;
            /** @description Name of the action. */
            action: string;
            /** @description The call in one sentence. */
            description: string;
            /** @description `simple` or `typed`. */
            level: string;
            /** @description What a person types for a `typed` one that waits, exactly: the name of the target, or of the action. */
            phrase?: string | null;
            /** @description Warning that a person reads first. */
            warning: string | null;
            /** @description Parameters, as people read them: five, or more if more of them decide danger. */
            summary: {
                /** @description Its name. */
                label: string;
                /** @description Its value, cut at 50 characters. */
                value: string;
            }[];
            /** @description Number of parameters that are not shown. */
            more: number;
            /** @description All resolved arguments; sensitive ones are masked. */
            arguments: unknown;
            /**
             * @description JSON pointers to the arguments that were read differently from how the model wrote them; `""` is the whole text. Empty
             *     if none was.
             */
            repaired: string[];
            /** @description Whether an approval can allow the action for the rest of the conversation (`remember`). */
            allow_session_grant: boolean;
            /** @description Requester of the call. */
            requester: {
                /** @description `user`, `agent` or `service`. */
                kind: string;
                /**
                 * Format: uuid
                 * @description ID of the user, agent or key.
                 */
                id: string;
                /** @description Name of the user, agent or key; null if it has none or was deleted. */
                name: string | null;
                /**
                 * Format: uuid
                 * @description Member on whose behalf the call was made.
                 */
                user_id: string | null;
                /** @description Name of that member; null if they have none. */
                user_name: string | null;
                /** @description Caller type. */
                caller_type: string;
                /** @description Conversation. */
                session: string | null;
                /**
                 * Format: uuid
                 * @description Mission.
                 */
                mission: string | null;
            };
            /**
             * Format: date-time
             * @description Time of the call.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of expiry, if it is not decided.
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description Time of the decision.
             */
            decided_at: string | null;
            /**
             * Format: uuid
             * @description User who decided.
             */
            decided_by: string | null;
            /** @description Name of the user who decided; null if they have none. */
            decided_by_name: string | null;
            /** @description Whether you may decide it now. */
            can_decide: {
                /** @description Whether an approval or a denial is accepted. */
                allowed: boolean;
                /** @description Why it is not; null if it is. */
                reason: string | null;
                /**
                 * @description Whether the person may decide it with their own sign-in, such as at `approve_url`, although not with this
                 *     credential.
                 */
                needs_sign_in: boolean;
                /** @description Whether an approval may have no `arguments` and no `remember`, because a client token sends it. */
                unchanged_only: boolean;
            };
            /** @description Reason that the decider gave. */
            reason: string | null;
            /**
             * Format: uuid
             * @description `call_id` of the call that ran.
             */
            call_id: string | null;
            /** @description URL of the page on which a person decides. */
            approve_url: string;
            /** @description How the action was named: `direct` or `dispatcher`. */
            via: string;
            /** @description The provider's ID of the tool call. */
            tool_call_id: string | null;
            /** @description The provider's tool format. */
            tool_format: ("openai" | "openai_responses" | "anthropic" | "gemini" | "mcp") | null;
            /** @description Response of the call, once it was decided. */
            result: unknown;
            /** @description Every transition, oldest first. */
            history: {
                /**
                 * Format: date-time
                 * @description Time.
                 */
                at: string;
                /** @description New status. */
                status: string;
                /**
                 * Format: uuid
                 * @description User who made the transition.
                 */
                by: string | null;
                /** @description Name of that user. */
                by_name?: string | null;
                /**
                 * Format: uuid
                 * @description Service key that relayed the user's decision.
                 */
                relayed_by?: string | null;
                /** @description Arguments before a person changed them. */
                replaced_arguments?: unknown;
            }[];
        };
        /** @description A tool list. */
        ToolList: {
            /** @description Tools, in the provider's format. */
            tools: unknown;
            /** @description Value of `tool_choice`, in the provider's format. Absent without tools: then leave both out of the request to the model. */
            tool_choice?: unknown;
            /**
             * @description Strategy by which the tools were chosen. `full`: The promoted actions and the dispatcher; `filtered`: What `query` needs; without one the small closed set; `dispatcher_only`: The dispatcher over every allowed action; `all`: Every allowed action as its own schema; `none`: Nothing.
             * @enum {string}
             */
            strategy: "full" | "filtered" | "dispatcher_only" | "all" | "none";
            /**
             * @description Format of the provider. `openai`: OpenAI's Chat Completions; `openai_responses`: OpenAI's Responses; `anthropic`: Anthropic's Messages; `gemini`: Google's Gemini; `mcp`: The Model Context Protocol.
             * @enum {string}
             */
            format: "openai" | "openai_responses" | "anthropic" | "gemini" | "mcp";
            /** @description Number of actions that this caller may call. */
            actions: number;
            /** @description Estimated tokens of the tools. */
            tokens: number;
            /** @description Names of the tools that are strict. */
            strict: string[];
            /** @description Why the other tools are not strict, and how the provider's budget was spent. Absent unless strict tools were asked for. */
            strict_explained?: {
                /** @description How the provider's budget for one request was spent; empty where it has none. */
                budget: {
                    /** @description What is counted. */
                    what: string;
                    /** @description How many the list's strict tools have. */
                    used: number;
                    /** @description How many they may have. */
                    most: number;
                }[];
                /** @description The others, in the list's order. */
                not_strict: {
                    /** @description Name. */
                    name: string;
                    /** @description Why it is not. */
                    reason: string;
                }[];
            } | null;
            /** @description Names of the tools that the budget left out. */
            left_out: string[];
            /** @description Version of the catalogue: another one after every change of an action. */
            catalog_version: string;
        };
        /** @description What was found, best first. */
        ToolSearch: {
            /** @description The actions. */
            items: {
                /** @description The full name. */
                name: string;
                /** @description How well it fits, 0 to 1. */
                score: number;
                /** @description What it does. */
                description: string;
                /**
                 * @description What it may do to data. `read`: Reads data; the database refuses writes; `write`: Creates or changes data; `destructive`: Removes data permanently; a person must confirm.
                 * @enum {string}
                 */
                permission_level: "read" | "write" | "destructive";
                /**
                 * @description Whether a human is asked first. `none`: No confirmation; `simple`: One approval; `typed`: Two steps: approve, then type the phrase.
                 * @enum {string}
                 */
                confirmation: "none" | "simple" | "typed";
                /** @description The tool call to make, with the required parameters to fill in. */
                how_to_call: unknown;
                /** @description The schema of its parameters. */
                parameters?: unknown;
            }[];
            /** @description Advice if no action fits well; otherwise null. */
            hint: string | null;
        };
        /** @description A page of actions. */
        Actions: {
            /** @description The actions, in the order of the catalogue. */
            items: {
                /** @description The full name. */
                name: string;
                /** @description Section of the catalogue. */
                category: string;
                /**
                 * @description What the action may do to data. `read`: Reads data; the database refuses writes; `write`: Creates or changes data; `destructive`: Removes data permanently; a person must confirm.
                 * @enum {string}
                 */
                permission_level: "read" | "write" | "destructive";
                /** @description Permission that the caller needs, as `resource:verb`. */
                permission: string;
                /** @description Whether it has a tool of its own in tool lists. */
                promoted: boolean;
                /** @description Whether it is in every tool list, whatever the intent. */
                always_offered: boolean;
                /** @description Whether it is only for the roles admin and owner, and for system admins. */
                admin_only: boolean;
                /**
                 * @description Confirmation that a call needs. `none`: No confirmation; `simple`: One approval; `typed`: Two steps: approve, then type the phrase.
                 * @enum {string}
                 */
                confirmation: "none" | "simple" | "typed";
                /** @description Warning that a person reads before confirming. */
                warning: string | null;
                /** @description Whether a successful call by a non-admin notifies the workspace's admins. */
                notifies_admins: boolean;
                /** @description Callers that may call it: `everyone`, or the types and names. */
                accessible_by: unknown;
                /** @description Rate limit bucket that calls count against. */
                limit_class: string;
                /** @description What it does, when to use it and when not. */
                description: string;
                /** @description Words by which search finds it. */
                tags: string[];
                /** @description Sentences that a user may write, for search. */
                examples: string[];
                /** @description The schema of its parameters. */
                input_schema: unknown;
                /** @description The schema of its `data`. */
                output_schema: unknown;
                /** @description Whether the service behind it is configured. If not, a call is 501. */
                available: boolean;
                /** @description Whether this caller may call it. */
                allowed: boolean;
                /** @description The rule that denies it. */
                reason?: string | null;
            }[];
            /** @description Give it as `cursor` to get the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description A page of actions. */
        ActionSummaries: {
            /** @description The actions, in the order of the catalogue. */
            items: {
                /** @description The full name. */
                name: string;
                /** @description What it does, in one sentence. */
                description: string;
                /** @description Section of the catalogue. */
                category: string;
                /**
                 * @description What the action may do to data. `read`: Reads data; the database refuses writes; `write`: Creates or changes data; `destructive`: Removes data permanently; a person must confirm.
                 * @enum {string}
                 */
                permission_level: "read" | "write" | "destructive";
                /** @description Permission that the caller needs, as `resource:verb`. */
                permission: string;
                /** @description Whether it has a tool of its own in tool lists. */
                promoted: boolean;
                /** @description Whether it is only for the roles admin and owner, and for system admins. */
                admin_only: boolean;
                /**
                 * @description Confirmation that a call needs. `none`: No confirmation; `simple`: One approval; `typed`: Two steps: approve, then type the phrase.
                 * @enum {string}
                 */
                confirmation: "none" | "simple" | "typed";
                /** @description Whether the service behind it is configured. If not, a call is 501. */
                available: boolean;
                /** @description Whether this caller may call it. */
                allowed: boolean;
                /** @description The rule that denies it. */
                reason?: string | null;
            }[];
            /** @description Give it as `cursor` to get the next page; null on the last one. */
            next_cursor: string | null;
        };
        /** @description An action, as programs see it. */
        Action: {
            /** @description The full name. */
            name: string;
            /** @description Section of the catalogue. */
            category: string;
            /**
             * @description What the action may do to data. `read`: Reads data; the database refuses writes; `write`: Creates or changes data; `destructive`: Removes data permanently; a person must confirm.
             * @enum {string}
             */
            permission_level: "read" | "write" | "destructive";
            /** @description Permission that the caller needs, as `resource:verb`. */
            permission: string;
            /** @description Whether it has a tool of its own in tool lists. */
            promoted: boolean;
            /** @description Whether it is in every tool list, whatever the intent. */
            always_offered: boolean;
            /** @description Whether it is only for the roles admin and owner, and for system admins. */
            admin_only: boolean;
            /**
             * @description Confirmation that a call needs. `none`: No confirmation; `simple`: One approval; `typed`: Two steps: approve, then type the phrase.
             * @enum {string}
             */
            confirmation: "none" | "simple" | "typed";
            /** @description Warning that a person reads before confirming. */
            warning: string | null;
            /** @description Whether a successful call by a non-admin notifies the workspace's admins. */
            notifies_admins: boolean;
            /** @description Callers that may call it: `everyone`, or the types and names. */
            accessible_by: unknown;
            /** @description Rate limit bucket that calls count against. */
            limit_class: string;
            /** @description What it does, when to use it and when not. */
            description: string;
            /** @description Words by which search finds it. */
            tags: string[];
            /** @description Sentences that a user may write, for search. */
            examples: string[];
            /** @description The schema of its parameters. */
            input_schema: unknown;
            /** @description The schema of its `data`. */
            output_schema: unknown;
            /** @description Whether the service behind it is configured. If not, a call is 501. */
            available: boolean;
            /** @description Whether this caller may call it. */
            allowed: boolean;
            /** @description The rule that denies it. */
            reason?: string | null;
        };
        Completed: components["schemas"]["CompletedCall"] & {
            action: string;
            /** @description The action's output. */
            data: unknown;
        };
        /** @description A call that ran. */
        CompletedCall: {
            /** @constant */
            ok: true;
            /** @constant */
            status: "completed";
            /**
             * Format: uuid
             * @description The id of its audit row.
             */
            call_id: string;
            /** @enum {unknown} */
            via: "direct" | "dispatcher" | "confirmation";
            /** @enum {unknown} */
            permission_level: "read" | "write" | "destructive";
            /** @description One sentence for people. */
            description: string;
            /** @description Whether lists or texts in `data` were cut. */
            truncated?: boolean;
            /** @description What the service that ran the tool answered, if `data` is null because it can't be shown: `application/pdf, 9 bytes`. */
            unreadable?: string;
            /** @description The call of the platform's services that has the same effect. */
            api_call: {
                service: string;
                /** @enum {unknown} */
                mutation_type: "read" | "create" | "update" | "delete";
                payload: Record<string, never>;
            };
            /** @enum {unknown} */
            granted_by: "auto" | "session" | "user";
            tool_call_id?: string;
            /** @description JSON pointers to the arguments that were read differently from how the model wrote them; `""` is the whole text. Absent if nothing was. */
            repaired?: string[];
            /** @description The response of an earlier call with the same key. */
            replayed: boolean;
            /** @description A secret that was already shown is omitted. */
            secret_shown?: boolean;
            /** Format: date-time */
            executed_at: string;
            duration_ms: number;
        };
        /** @description A call that waits for a person. */
        Waiting: {
            /** @constant */
            ok: false;
            /** @constant */
            status: "confirmation_required";
            /** Format: uuid */
            call_id: string;
            action: string;
            /** @enum {unknown} */
            permission_level: "read" | "write" | "destructive";
            description: string;
            confirmation: {
                /** Format: uuid */
                id: string;
                /** @enum {unknown} */
                level: "simple" | "typed";
                warning: string | null;
                summary: {
                    label: string;
                    value: string;
                }[];
                /** @description How many parameters are not shown. */
                more: number;
                /** Format: date-time */
                expires_at: string;
                allow_session_grant: boolean;
                /** Format: uri */
                approve_url: string;
            };
            /** @description The confirmations of earlier calls on the same target that this call replaced. */
            supersedes?: string[];
            tool_call_id?: string;
            /** @description JSON pointers to the arguments that were read differently from how the model wrote them; `""` is the whole text. Absent if nothing was. */
            repaired?: string[];
        };
        /** @description A call that the caller runs. */
        ToRun: {
            /** @constant */
            ok: false;
            /** @constant */
            status: "client_execution_required";
            /** Format: uuid */
            call_id: string;
            action: string;
            /** @enum {unknown} */
            permission_level: "read" | "write" | "destructive";
            description: string;
            /** @description Sensitive values are masked if `claim` is true. */
            arguments: Record<string, never>;
            /** @description Whether the call must be claimed before it runs, and its outcome reported. False for a read. */
            claim: boolean;
            /** Format: date-time */
            claim_by?: string;
            tool_call_id?: string;
            /** @description JSON pointers to the arguments that were read differently from how the model wrote them; `""` is the whole text. Absent if nothing was. */
            repaired?: string[];
        };
        /** @description Result of checking a call without running it. */
        Check: {
            /** @description Whether the call would run or wait for a confirmation. */
            allowed: boolean;
            /**
             * @description Permission level of the action. `read`: Reads data; the database refuses writes; `write`: Creates or changes data; `destructive`: Removes data permanently; a person must confirm.
             * @enum {string}
             */
            permission_level: "read" | "write" | "destructive";
            /** @description Whether a person would have to confirm the call. */
            requires_confirmation: boolean;
            /**
             * @description Level of the confirmation. `none`: No confirmation; `simple`: One approval; `typed`: Two steps: approve, then type the phrase.
             * @enum {string}
             */
            confirmation_level: "none" | "simple" | "typed";
            /** @description `auto` if the call would run at once, `session` if a session grant allows it. */
            granted_by: string | null;
            /** @description Reason why it is not allowed. */
            reason: string | null;
            /** @description Warning that a person would read first. */
            warning: string | null;
            /** @description Parameters, as people would read them. */
            summary: {
                /** @description Its name. */
                label: string;
                /** @description Its value, cut at 50 characters. */
                value: string;
            }[];
            /** @description Calls of the same class that the caller may make now; absent if the limiter is unavailable. */
            limit_remaining: number | null;
            /**
             * @description Problems of the arguments. Empty if the caller may not call the action, because the arguments are not
             *     checked then.
             */
            errors: {
                /** @description JSON pointer into the arguments, such as `/temperature`. */
                pointer: string;
                /** @description Schema keyword that was violated, such as `maximum`, or the name of a rule. */
                code: string;
                /** @description Expected value. */
                message: string;
                /** @description Value that was given, cut to 200 characters; absent if there was none. */
                got?: unknown;
            }[];
        };
    };
    responses: {
        /** @description `malformed_request`: The request is not well-formed HTTP or JSON, or lacks a required member. `workspace_required`: The request names no workspace; send `X-Workspace-Id`. */
        Problem400: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unauthenticated`: The request has no valid credential. */
        Problem401: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `permission_denied`: The caller has no permission for this action. `workspace_mismatch`: The credential belongs to a workspace other than the one named. `insufficient_scope`: The credential lacks a scope that the request requires beyond the permission for its action, such as `act_as`. Where its scopes don't cover that permission, the code is `permission_denied`. */
        Problem403: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unknown_action`: No action has this name. `not_found`: The resource does not exist in this workspace. */
        Problem404: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_arguments`: The arguments do not match the schema; `errors` lists every problem. `phrase_mismatch`: The typed phrase does not match. `idempotency_mismatch`: The idempotency key was used with other arguments. */
        Problem422: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited`: The rate limit is reached; wait `Retry-After` seconds. `too_many_pending`: Too many confirmations are waiting for a decision. */
        Problem429: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `internal`: The service failed; give the request ID to its operator. */
        Problem500: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `authorization_unavailable`: The caller's permissions can't be read now; nothing was done. `audit_unavailable`: The audit row can't be written now; nothing was done. `limiter_unavailable`: The rate limiter is unavailable; nothing was done. `store_unavailable`: The database is unavailable; nothing was done. `outcome_unknown`: Nobody knows whether the call was done: the connection to the database was lost during the commit, or an external service or the application that runs the call did not say how it ended. Check before you make another call; repeated with the same `Idempotency-Key`, it is not done twice. `overloaded`: The service has reached its limit of connections; nothing was done. */
        Problem503: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `timeout`: The call took too long; nothing was done. */
        Problem504: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `payload_too_large`: The body is larger than allowed. */
        Problem413: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unsupported_media_type`: The body must be `application/json`. */
        Problem415: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `conflict`: The call conflicts with the current state of the resource. `already_decided`: The confirmation has already been decided. `in_progress`: A call with the same idempotency key is still running. `budget_exceeded`: A budget of the assistant is used up. `cycle_detected`: The dependencies form a cycle. */
        Problem409: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `expired`: The confirmation was not decided in time. `void`: The confirmation no longer applies; make the call again. */
        Problem410: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `connector_not_configured`: The external service that this action uses is not configured. */
        Problem501: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `upstream_error`: The external service returned an error. */
        Problem502: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `precondition_failed`: The resource changed after it was read; read it again. */
        Problem412: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
        WorkspaceId: string;
        /** @description The caller type of this call: one of those that the credential allows. */
        CallerType: string;
        /** @description The conversation. */
        SessionId: string;
        /** @description The mission that this call belongs to. */
        MissionId: string;
        /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
        OnBehalfOf: string;
        /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
        IdempotencyKey: string;
        /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
        RequestId: string;
    };
    requestBodies: never;
    headers: {
        /** @description The ID of the request; give it to the operator when you report a problem. */
        RequestId: string;
        /** @description What is left in the bucket, such as `"write";r=9;t=6`. */
        RateLimit: string;
        /** @description The size of the bucket, such as `"write";q=10;w=60`. */
        RateLimitPolicy: string;
        /** @description Seconds to wait. */
        RetryAfter: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    me_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The person who acts or for whom somebody acts; null for a key of its own, and for somebody unknown here. */
                        user: {
                            /**
                             * Format: uuid
                             * @description Our id.
                             */
                            user_id: string;
                            /** @description Issuer (`iss`) of the member's tokens. */
                            issuer: string;
                            /** @description Who they are to that issuer. */
                            subject: string;
                            /** @description What they are called. */
                            display_name: string | null;
                        } | null;
                        /** @description The credential. */
                        principal: {
                            /** @description `user`, `agent`, `service` or `operator`. */
                            kind: string;
                            /**
                             * Format: uuid
                             * @description The user, agent or key; null for somebody unknown here.
                             */
                            id: string | null;
                            /**
                             * Format: uuid
                             * @description Key that was used; null for a token.
                             */
                            credential_id: string | null;
                            /** @description Slug of the agent. */
                            name: string | null;
                        };
                        /** @description The workspace of this call; null where none was named. */
                        workspace: {
                            /**
                             * Format: uuid
                             * @description ID.
                             */
                            id: string;
                            /** @description Name. */
                            name: string;
                        } | null;
                        /** @description The role in it, as it bounds this credential; null for none. */
                        role: ("viewer" | "member" | "editor" | "admin" | "owner") | null;
                        /** @description A system admin's token. */
                        system_admin: boolean;
                        /** @description Every permission that role and scopes leave, in order. */
                        permissions: string[];
                        /** @description Packs that are on in the workspace, by slug. Permissions for packs that are off are listed too, and of no use. */
                        packs: string[];
                        /** @description What the credential was given; null for a user token, which the role alone bounds. */
                        scopes: string[] | null;
                        /** @description What this call counts as. */
                        caller_type: string;
                        /** @description The workspace's limits and what is left of them; null where none was named. */
                        limits: {
                            /** @description Calls of write and destructive actions per minute. */
                            write: {
                                /** @description Calls per minute. */
                                limit: number;
                                /** @description Calls that would be admitted now; null if the limiter is unavailable. */
                                remaining: number | null;
                                /** @description Seconds until the bucket is full; null if the limiter is unavailable. */
                                reset_seconds: number | null;
                            };
                            /** @description Reads. */
                            read: {
                                /** @description Calls per minute. */
                                limit: number;
                                /** @description Calls that would be admitted now; null if the limiter is unavailable. */
                                remaining: number | null;
                                /** @description Seconds until the bucket is full; null if the limiter is unavailable. */
                                reset_seconds: number | null;
                            };
                            /** @description Calls of external actions per minute. */
                            external: {
                                /** @description Calls per minute. */
                                limit: number;
                                /** @description Calls that would be admitted now; null if the limiter is unavailable. */
                                remaining: number | null;
                                /** @description Seconds until the bucket is full; null if the limiter is unavailable. */
                                reset_seconds: number | null;
                            };
                            /** @description Calls of tools that the caller runs, per minute. */
                            client: {
                                /** @description Calls per minute. */
                                limit: number;
                                /** @description Calls that would be admitted now; null if the limiter is unavailable. */
                                remaining: number | null;
                                /** @description Seconds until the bucket is full; null if the limiter is unavailable. */
                                reset_seconds: number | null;
                            };
                        } | null;
                        /**
                         * @description Your notifications, among the newest 500 of the workspace, that you have not read and that have not ended; null
                         *     where no workspace was named.
                         */
                        unread_notifications: number | null;
                        /** @description Where the person is a member; for a key, the workspace it was made in. */
                        workspaces: {
                            /**
                             * Format: uuid
                             * @description ID.
                             */
                            id: string;
                            /** @description Display name. */
                            name: string;
                            /** @description ID at the identity provider. */
                            external_id: string | null;
                            /** @description Product that was used. */
                            plan: string;
                            /** @description Role of the caller in the workspace; null if the caller has none. */
                            role: string | null;
                            /**
                             * Format: date-time
                             * @description Time of creation.
                             */
                            created_at: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    list_confirmations: {
        parameters: {
            query?: {
                /** @description Only confirmations with this status; `open` for all that have not ended, `ended` for all that have. */
                status?: string;
                /** @description `true`: only confirmations that you may decide now; `false`: only the others. */
                decidable?: boolean;
                /** @description Only confirmations of this conversation. */
                session?: string;
                /** @description Only confirmations of your own calls and of calls on your behalf. */
                mine?: boolean;
                /** @description Maximum number of items. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Confirmations that this caller may see. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Confirmation"][];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    get_confirmation: {
        parameters: {
            query?: {
                /** @description Seconds to wait for the decision. */
                wait?: number;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The confirmation, now or after the decision. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmation"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    list_tools: {
        parameters: {
            query?: {
                /** @description The provider's shape. `openai`: OpenAI's Chat Completions; `openai_responses`: OpenAI's Responses; `anthropic`: Anthropic's Messages; `gemini`: Google's Gemini; `mcp`: The Model Context Protocol. */
                format?: "openai" | "openai_responses" | "anthropic" | "gemini" | "mcp";
                /** @description How the list is put together. `full`: The promoted actions and the dispatcher; `filtered`: What `query` needs; without one the small closed set; `dispatcher_only`: The dispatcher over every allowed action; `all`: Every allowed action as its own schema; `none`: Nothing. */
                strategy?: "full" | "filtered" | "dispatcher_only" | "all" | "none";
                /** @description The user's message, for `filtered`. */
                query?: string;
                /** @description Whether tools are strict. `off`: None is; `auto`: Those that fit into the provider's limits. */
                strict?: "off" | "auto";
                /** @description The non-promoted also as schemas for the provider's own tool search, where it has one. */
                defer?: boolean;
                /** @description How much the dispatcher says about its actions. `signatures`: One line an action with its parameters, in the description of `action`; `names`: The names alone, in the enum. */
                detail?: "signatures" | "names";
                /** @description The most tokens that the list may cost. */
                max_tokens?: number;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The `ETag` of the list that the client has. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tools, ready for a model request. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            /** @description The list is unchanged. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    list_tools_for_turn: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description The provider's shape. `openai`: OpenAI's Chat Completions; `openai_responses`: OpenAI's Responses; `anthropic`: Anthropic's Messages; `gemini`: Google's Gemini; `mcp`: The Model Context Protocol.
                     * @default openai
                     * @enum {string}
                     */
                    format?: "openai" | "openai_responses" | "anthropic" | "gemini" | "mcp";
                    /**
                     * @description How the list is put together. `full`: The promoted actions and the dispatcher; `filtered`: What `query` needs; without one the small closed set; `dispatcher_only`: The dispatcher over every allowed action; `all`: Every allowed action as its own schema; `none`: Nothing.
                     * @default full
                     * @enum {string}
                     */
                    strategy?: "full" | "filtered" | "dispatcher_only" | "all" | "none";
                    /** @description The user's message, for `filtered`. */
                    query?: string;
                    /**
                     * @description Whether tools are strict. `off`: None is; `auto`: Those that fit into the provider's limits.
                     * @default off
                     * @enum {string}
                     */
                    strict?: "off" | "auto";
                    /**
                     * @description The non-promoted also as schemas for the provider's own tool search, where it has one.
                     * @default false
                     */
                    defer?: boolean;
                    /**
                     * @description How much the dispatcher says about its actions. `signatures`: One line an action with its parameters, in the description of `action`; `names`: The names alone, in the enum.
                     * @default signatures
                     * @enum {string}
                     */
                    detail?: "signatures" | "names";
                    /** @description The most tokens that the list may cost. */
                    max_tokens?: number;
                    /** @description The last texts of the conversation, oldest first. */
                    context?: string[];
                };
            };
        };
        responses: {
            /** @description The tools, ready for a model request. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    search_tools: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What the user wants to do, in their own words. */
                    query: string;
                    /** @description Maximum number of items. */
                    limit?: number;
                    /** @description Only actions of this section of the catalogue, such as `agents`. */
                    category?: string;
                    /** @description Whether each has the schema of its parameters. Default: yes. */
                    include_schema?: boolean;
                };
            };
        };
        responses: {
            /** @description Matching actions, best first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolSearch"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    list_actions: {
        parameters: {
            query?: {
                /** @description `denied`: also those that this caller may not call, with the reason. Needs `audit:read`. */
                include?: "denied";
                /** @description `summary`: only name, first sentence, category, level and permission of each action, and what a call needs. */
                fields?: "summary";
                /** @description Maximum number of items. */
                limit?: number;
                /** @description `next_cursor` of the page before. */
                cursor?: string;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Actions with their metadata and schemas; with `fields=summary`, without schemas and longer texts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Actions"] | components["schemas"]["ActionSummaries"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    get_action: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The action's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The action with its metadata and schemas. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Action"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    call_action: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The action's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description It ran. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Completed"];
                };
            };
            /** @description The call waits for a person, or the caller runs it; `Location` is the URL of the confirmation or of the call. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Waiting"] | components["schemas"]["ToRun"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            410: components["responses"]["Problem410"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    check_action: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The action's name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The decision. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Check"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    access_explain: {
        parameters: {
            query: {
                /** @description The full name of an action or operation. */
                action: string;
                /** @description ID or `sub` of a member. Default: yourself. */
                user?: string;
                /** @description Role of an imagined person, in place of `user`. `viewer`: Reads; `member`: Reads and does day-to-day work; `editor`: Also manages agents, playbooks, documents and the like; `admin`: Also deletes, and administers members, keys and settings; `owner`: Has every permission, and may weaken settings. */
                role?: "viewer" | "member" | "editor" | "admin" | "owner";
                /** @description Caller type of the imagined call. Default: `api`. */
                caller_type?: string;
                /** @description Slug of an agent, for actions that are limited to named agents. */
                caller_name?: string;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The action. */
                        action: string;
                        /**
                         * Format: uuid
                         * @description User ID of the member; null for a credential that acts for no member.
                         */
                        user_id: string | null;
                        /** @description Role of the member; null for none. */
                        role: ("viewer" | "member" | "editor" | "admin" | "owner") | null;
                        /** @description Permission that the action needs. */
                        permission: string;
                        /**
                         * @description Permission level. `read`: Reads data; the database refuses writes; `write`: Creates or changes data; `destructive`: Removes data permanently; a person must confirm.
                         * @enum {string}
                         */
                        permission_level: "read" | "write" | "destructive";
                        /** @description Whether the call would be allowed. */
                        allowed: boolean;
                        /** @description First rule that fails; null if none fails. */
                        reason: string | null;
                        /** @description The decision in one sentence. */
                        explanation: string;
                        /** @description Rules and their results, in order. */
                        factors: {
                            /** @description The rule. */
                            rule: string;
                            /** @description Whether the rule allows the call. */
                            passed: boolean;
                            /** @description Reason in one sentence. */
                            explanation: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    access_matrix: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Roles, from least to most permissions. */
                        roles: ("viewer" | "member" | "editor" | "admin" | "owner")[];
                        /** @description Number of actions. */
                        total: number;
                        /** @description Every action of the catalogue, in order. */
                        items: {
                            /** @description Name. */
                            action: string;
                            /** @description Its section of the catalogue. */
                            category: string;
                            /**
                             * @description Permission level. `read`: Reads data; the database refuses writes; `write`: Creates or changes data; `destructive`: Removes data permanently; a person must confirm.
                             * @enum {string}
                             */
                            permission_level: "read" | "write" | "destructive";
                            /** @description Permission that the action needs. */
                            permission: string;
                            /** @description Whether only admins, owners and system admins may call it. */
                            admin_only: boolean;
                            /** @description Which roles may call it with a user token. */
                            roles: {
                                /** @description Whether a viewer may call it. */
                                viewer: boolean;
                                /** @description Whether a member may call it. */
                                member: boolean;
                                /** @description Whether an editor may call it. */
                                editor: boolean;
                                /** @description Whether an admin may call it. */
                                admin: boolean;
                                /** @description Whether an owner may call it. */
                                owner: boolean;
                            };
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    access_report: {
        parameters: {
            query?: {
                /** @description Role to evaluate. Default: your own. `viewer`: Reads; `member`: Reads and does day-to-day work; `editor`: Also manages agents, playbooks, documents and the like; `admin`: Also deletes, and administers members, keys and settings; `owner`: Has every permission, and may weaken settings. */
                role?: "viewer" | "member" | "editor" | "admin" | "owner";
                /** @description Caller type. Default: `api`. */
                caller_type?: string;
                /** @description Slug of an agent, for actions that are limited to named agents. */
                caller_name?: string;
                /** @description Format. `json`: Only data; `markdown`: Data and a text for people. */
                format?: "json" | "markdown";
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Title of the report. */
                        title: string;
                        /** @description Every caller type that may be asked for. */
                        caller_types: string[];
                        /** @description Number of actions. */
                        total: number;
                        /** @description Number of actions that may be called. */
                        accessible: number;
                        /** @description Number of actions that may not be called. */
                        denied: number;
                        /** @description Numbers by category, in the order of the catalogue. */
                        by_category: {
                            /** @description The section. */
                            category: string;
                            /** @description Number of actions. */
                            total: number;
                            /** @description Number of actions that may be called. */
                            accessible: number;
                            /** @description Number of actions that may not be called. */
                            denied: number;
                        }[];
                        /** @description Every action, in order. */
                        items: {
                            /** @description Name. */
                            action: string;
                            /** @description Its section. */
                            category: string;
                            /**
                             * @description Permission level. `read`: Reads data; the database refuses writes; `write`: Creates or changes data; `destructive`: Removes data permanently; a person must confirm.
                             * @enum {string}
                             */
                            permission_level: "read" | "write" | "destructive";
                            /** @description Permission that the action needs. */
                            permission: string;
                            /** @description Whether the action may be called. */
                            allowed: boolean;
                            /** @description First rule that fails; null if none fails. */
                            reason: string | null;
                            /** @description The reason in words. */
                            explanation: string | null;
                        }[];
                        /** @description The report as Markdown; only with the format `markdown`. */
                        markdown?: string | null;
                    };
                    "text/markdown": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    access_scopes: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Scopes: patterns from broad to narrow, then special scopes. Those of one toolset have its slug in place of `tools`. */
                        items: {
                            /** @description The scope, as keys have it. */
                            scope: string;
                            /** @description What a key with this scope may do, as far as its role allows it. */
                            description: string;
                            /** @description Whether it is a special scope, which no pattern covers. */
                            special: boolean;
                            /** @description Whether you may give it to a key. */
                            allowed: boolean;
                            /** @description Why you may not; null if you may. */
                            reason: string | null;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    access_tools: {
        parameters: {
            query?: {
                /** @description Role of the imagined caller. Default: your own. `viewer`: Reads; `member`: Reads and does day-to-day work; `editor`: Also manages agents, playbooks, documents and the like; `admin`: Also deletes, and administers members, keys and settings; `owner`: Has every permission, and may weaken settings. */
                role?: "viewer" | "member" | "editor" | "admin" | "owner";
                /** @description Caller type of the imagined caller. Default: `api`. */
                caller_type?: string;
                /** @description Slug of an agent: the list is that of the agent, which acts for a member with the role. */
                caller_name?: string;
                /** @description The provider's shape. `openai`: OpenAI's Chat Completions; `openai_responses`: OpenAI's Responses; `anthropic`: Anthropic's Messages; `gemini`: Google's Gemini; `mcp`: The Model Context Protocol. */
                format?: "openai" | "openai_responses" | "anthropic" | "gemini" | "mcp";
                /** @description How the list is put together. `full`: The promoted actions and the dispatcher; `filtered`: What `query` needs; without one the small closed set; `dispatcher_only`: The dispatcher over every allowed action; `all`: Every allowed action as its own schema; `none`: Nothing. */
                strategy?: "full" | "filtered" | "dispatcher_only" | "all" | "none";
                /** @description The user's message, for `filtered`. */
                query?: string;
                /** @description Whether tools are strict. `off`: None is; `auto`: Those that fit into the provider's limits. */
                strict?: "off" | "auto";
                /** @description The non-promoted also as schemas for the provider's own tool search, where it has one. */
                defer?: boolean;
                /** @description How much the dispatcher says about its actions. `signatures`: One line an action with its parameters, in the description of `action`; `names`: The names alone, in the enum. */
                detail?: "signatures" | "names";
                /** @description The most tokens that the list may cost. */
                max_tokens?: number;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Role of the caller. An agent has at most the role `editor`, unless the settings say otherwise. */
                        role: ("viewer" | "member" | "editor" | "admin" | "owner") | null;
                        /** @description Caller type. */
                        caller_type: string;
                        /** @description Every caller type that may be asked for. */
                        caller_types: string[];
                        /** @description What `GET /v1/tools` answers to this caller. */
                        list: {
                            /** @description Tools, in the provider's format. */
                            tools: unknown;
                            /** @description Value of `tool_choice`, in the provider's format. Absent without tools: then leave both out of the request to the model. */
                            tool_choice?: unknown;
                            /**
                             * @description Strategy by which the tools were chosen. `full`: The promoted actions and the dispatcher; `filtered`: What `query` needs; without one the small closed set; `dispatcher_only`: The dispatcher over every allowed action; `all`: Every allowed action as its own schema; `none`: Nothing.
                             * @enum {string}
                             */
                            strategy: "full" | "filtered" | "dispatcher_only" | "all" | "none";
                            /**
                             * @description Format of the provider. `openai`: OpenAI's Chat Completions; `openai_responses`: OpenAI's Responses; `anthropic`: Anthropic's Messages; `gemini`: Google's Gemini; `mcp`: The Model Context Protocol.
                             * @enum {string}
                             */
                            format: "openai" | "openai_responses" | "anthropic" | "gemini" | "mcp";
                            /** @description Number of actions that this caller may call. */
                            actions: number;
                            /** @description Estimated tokens of the tools. */
                            tokens: number;
                            /** @description Names of the tools that are strict. */
                            strict: string[];
                            /** @description Why the other tools are not strict, and how the provider's budget was spent. Absent unless strict tools were asked for. */
                            strict_explained?: {
                                /** @description How the provider's budget for one request was spent; empty where it has none. */
                                budget: {
                                    /** @description What is counted. */
                                    what: string;
                                    /** @description How many the list's strict tools have. */
                                    used: number;
                                    /** @description How many they may have. */
                                    most: number;
                                }[];
                                /** @description The others, in the list's order. */
                                not_strict: {
                                    /** @description Name. */
                                    name: string;
                                    /** @description Why it is not. */
                                    reason: string;
                                }[];
                            } | null;
                            /** @description Names of the tools that the budget left out. */
                            left_out: string[];
                            /** @description Version of the catalogue: another one after every change of an action. */
                            catalog_version: string;
                        };
                        /** @description Size of that answer in bytes. */
                        bytes: number;
                        /** @description The list of the same caller by each strategy, with the same other options. */
                        strategies: {
                            /**
                             * @description How the list is put together. `full`: The promoted actions and the dispatcher; `filtered`: What `query` needs; without one the small closed set; `dispatcher_only`: The dispatcher over every allowed action; `all`: Every allowed action as its own schema; `none`: Nothing.
                             * @enum {string}
                             */
                            strategy: "full" | "filtered" | "dispatcher_only" | "all" | "none";
                            /**
                             * @description How much the dispatcher says about its actions. `signatures`: One line an action with its parameters, in the description of `action`; `names`: The names alone, in the enum.
                             * @enum {string}
                             */
                            detail: "signatures" | "names";
                            /** @description Number of tools; null if there is no such list. */
                            tools: number | null;
                            /** @description About how many tokens the tools cost; null if there is no such list. */
                            tokens: number | null;
                            /** @description Why there is no such list, such as a budget that is too small; null if there is one. */
                            reason: string | null;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    assistant_list_threads: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of this page. */
                        items: {
                            /** @description Name. */
                            thread: string;
                            /** @description Beginning of its first message. */
                            first_message: string;
                            /** @description Number of runs. */
                            runs: number;
                            /**
                             * Format: uuid
                             * @description Last run.
                             */
                            last_run: string;
                            /**
                             * @description State of the last run. `queued`: No process holds it; `running`: A process holds it; `waiting`: It waits for people; `completed`: It has an answer, or its person sent another message; `failed`: It could not go on; `stopped`: Somebody stopped it.
                             * @enum {string}
                             */
                            state: "queued" | "running" | "waiting" | "completed" | "failed" | "stopped";
                            /**
                             * Format: date-time
                             * @description When the last run began.
                             */
                            last_at: string;
                        }[];
                        /** @description Value of `cursor` for the next page; null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    assistant_get_thread: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description Name of the thread. */
                thread: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Name. */
                        thread: string;
                        /** @description Messages, oldest first. While a run is queued or running, the last one is the person's. */
                        messages: {
                            /** @description ID of the message, or of its run. */
                            id: string;
                            /** @description `user` or `assistant`. */
                            role: string;
                            /** @description Parts. */
                            parts: {
                                /** @description `text`, `reasoning`, `step-start`, `dynamic-tool` or `data-confirmation`. */
                                type: string;
                                /** @description ID of a confirmation. */
                                id?: string | null;
                                /** @description Text of the message or of the reasoning. */
                                text?: string | null;
                                /**
                                 * @description `done` for texts. For calls `input-available` while it is not answered, `approval-requested` if the reader may decide
                                 *     it, `output-available` or `output-error`.
                                 */
                                state?: string | null;
                                /** @description Action of a call. */
                                toolName?: string | null;
                                /** @description Title of the action, for people. */
                                title?: string | null;
                                /** @description ID of a call. */
                                toolCallId?: string | null;
                                /** @description Arguments of a call, with sensitive values masked. */
                                input?: unknown;
                                /**
                                 * @description What the model read about the call, with its `call_id`, or what became of it after its run had ended. `status`,
                                 *     `confirmation` and `approve_url` while it waits, and the reader can't decide it here.
                                 */
                                output?: unknown;
                                /** @description Why the call was refused or failed. */
                                errorText?: string | null;
                                /** @description What the reader may decide. */
                                approval?: {
                                    /** @description ID of the confirmation. */
                                    id: string;
                                } | null;
                                /** @description Confirmation that a call waits for. */
                                data?: {
                                    /** @description Action that would run. */
                                    action: string;
                                    /** @description The call in one sentence. */
                                    description: string;
                                    /** @description `simple` or `typed`. */
                                    level: string;
                                    /** @description What a person types for a `typed` one. */
                                    phrase?: string | null;
                                    /** @description Warning that is shown first. */
                                    warning?: string | null;
                                    /** @description Up to five parameters in readable form. */
                                    summary: {
                                        /** @description Its name. */
                                        label: string;
                                        /** @description Its value, cut at 50 characters. */
                                        value: string;
                                    }[];
                                    /**
                                     * Format: date-time
                                     * @description When it expires.
                                     */
                                    expires_at: string;
                                    /** @description Where a person decides. */
                                    approve_url: string;
                                    /** @description Whether the reader may decide it here. */
                                    can_decide: boolean;
                                    /** @description Why the last approval did not count. */
                                    error?: string | null;
                                } | null;
                            }[];
                            /** @description What is known of the run; for messages of the assistant. */
                            metadata?: {
                                /**
                                 * Format: uuid
                                 * @description ID of the run.
                                 */
                                run: string;
                                /** @description Name of the thread. */
                                thread: string;
                                /** @description Model; absent until a background run has one. */
                                model?: string | null;
                                /** @description Upstream of the model; absent for the operator's service. */
                                upstream?: string | null;
                                /** @description Why the answer is not whole. */
                                finish?: ("length" | "content_filter" | "empty" | "steps") | null;
                                /** @description Tokens and cost. */
                                usage: {
                                    /** @description Tokens read. */
                                    input_tokens: number;
                                    /** @description Tokens of these that the provider had in its cache. */
                                    cached_input_tokens: number;
                                    /** @description Tokens written. */
                                    output_tokens: number;
                                    /** @description Cost, in millionths of a dollar; 0 for a model without a price. */
                                    cost_microusd: number;
                                    /** @description Whether the model has a price. Absent before the first request to it has ended. */
                                    cost_known?: boolean | null;
                                };
                                /** @description Why the run failed. */
                                error?: {
                                    /** @description Error code. */
                                    code: string;
                                    /** @description Sentence for people. */
                                    detail: string;
                                } | null;
                            } | null;
                        }[];
                        /** @description Last run; absent if there is none. */
                        last_run: {
                            /**
                             * Format: uuid
                             * @description ID.
                             */
                            run: string;
                            /**
                             * @description What it is for. `chat`: A message of a person; `heartbeat`: An agent's heartbeat; `schedule`: A scheduled task; `playbook`: A step of a playbook's execution; `mission`: A task or the goal of a mission.
                             * @enum {string}
                             */
                            kind: "chat" | "heartbeat" | "schedule" | "playbook" | "mission";
                            /**
                             * Format: uuid
                             * @description Agent of the heartbeat, schedule, execution or mission that a background run is for.
                             */
                            about?: string | null;
                            /** @description Position of the execution's step or the mission's task. */
                            position?: number | null;
                            /** @description Name of the thread. That of a background run has a colon, which no client can choose. */
                            thread: string;
                            /** @description ID of the message, as the client chose it. */
                            message_id?: string | null;
                            /**
                             * @description State. `queued`: No process holds it; `running`: A process holds it; `waiting`: It waits for people; `completed`: It has an answer, or its person sent another message; `failed`: It could not go on; `stopped`: Somebody stopped it.
                             * @enum {string}
                             */
                            state: "queued" | "running" | "waiting" | "completed" | "failed" | "stopped";
                            /** @description Model; absent until a background run has one. */
                            model?: string | null;
                            /** @description Upstream of the model; absent for the operator's service. */
                            upstream?: string | null;
                            /** @description Model of the agent, which is not listed: the run uses another one. Only in the response to the message. */
                            model_replaced?: string | null;
                            /**
                             * Format: uuid
                             * @description Agent whose prompt is used.
                             */
                            agent?: string | null;
                            /** @description Number of requests to the model so far. */
                            steps: number;
                            /** @description What the model said last. Not in lists. */
                            text?: string | null;
                            /** @description Why the last answer is not whole. Not in lists. */
                            finish?: ("length" | "content_filter" | "empty" | "steps") | null;
                            /** @description Tokens and cost. */
                            usage: {
                                /** @description Tokens read. */
                                input_tokens: number;
                                /** @description Tokens of these that the provider had in its cache. */
                                cached_input_tokens: number;
                                /** @description Tokens written. */
                                output_tokens: number;
                                /** @description Cost, in millionths of a dollar; 0 for a model without a price. */
                                cost_microusd: number;
                                /** @description Whether the model has a price. Absent before the first request to it has ended. */
                                cost_known?: boolean | null;
                            };
                            /** @description Open confirmations of its calls. A run that waits goes on when they have ended. Not in lists. */
                            confirmations?: {
                                /**
                                 * Format: uuid
                                 * @description ID.
                                 */
                                id: string;
                                /** @description Action that would run. */
                                action: string;
                                /** @description `simple` or `typed`. */
                                level: string;
                                /** @description Warning that is shown first. */
                                warning: string | null;
                                /** @description Up to five parameters in readable form. */
                                summary: {
                                    /** @description Its name. */
                                    label: string;
                                    /** @description Its value, cut at 50 characters. */
                                    value: string;
                                }[];
                                /**
                                 * Format: date-time
                                 * @description When it expires.
                                 */
                                expires_at: string;
                                /** @description Where a person decides. */
                                approve_url: string;
                            }[] | null;
                            /** @description Why the run failed. */
                            error?: {
                                /** @description Error code. */
                                code: string;
                                /** @description Sentence for people. */
                                detail: string;
                            } | null;
                            /**
                             * Format: date-time
                             * @description When the message came.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the run ended.
                             */
                            ended_at?: string | null;
                        } | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    assistant_delete_thread: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description Name of the thread. */
                thread: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of runs that were deleted. */
                        runs: number;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    audit_list: {
        parameters: {
            query?: {
                /** @description Names of actions or operations. */
                action?: string[];
                /** @description Decisions. */
                decision?: ("auto_allowed" | "approved" | "denied" | "confirmation_required" | "rate_limited" | "invalid" | "expired")[];
                /** @description Outcomes. */
                outcome?: ("succeeded" | "failed" | "not_run" | "started" | "unknown" | "handed_out")[];
                /** @description Permission levels. */
                level?: ("read" | "write" | "destructive")[];
                /** @description Principal of the call: user, agent or key. */
                principal?: string;
                /** @description User: their calls, the calls of agents and keys on their behalf, and the calls of service keys that they made. */
                user?: string;
                /** @description Session. */
                session?: string;
                /** @description Kinds of the row. */
                kind?: ("call" | "outcome" | "confirmation" | "grant" | "admin")[];
                /** @description How the action was named. */
                via?: ("direct" | "dispatcher" | "confirmation")[];
                /** @description Surfaces of the call. */
                surface?: ("rest" | "mcp" | "console" | "cli" | "assistant")[];
                /** @description Roles of the caller. */
                role?: ("viewer" | "member" | "editor" | "admin" | "owner")[];
                /** @description Caller types, such as `mission`. */
                caller_type?: string[];
                /** @description Codes of the reason. */
                reason?: string[];
                /** @description Confirmation ID. */
                confirmation_id?: string;
                /** @description Request ID. */
                request_id?: string;
                /** @description Start of the period, inclusive. */
                from?: string;
                /** @description End of the period, exclusive. */
                to?: string;
                /** @description `false` leaves out the operations with which pages of the console read. */
                console_reads?: boolean;
                /** @description What an item is. Default: `row`. With `call` the newest calls come first, and `steps` tells what became of each. */
                group?: "call" | "row";
                /**
                 * @description Order. Default: `desc`. `desc`: Newest first, sealed or not; `asc`: In the order of the chain, sealed rows only. Rows up to a `seq` that was read are complete, so that
                 *     collectors can continue from it.
                 */
                order?: "desc" | "asc";
                /** @description With `order=asc`: only rows with a greater `seq`, such as the `seq` of the last row that was read. */
                after_seq?: number;
                /** @description Page size. Default: 20. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of this page. */
                        items: {
                            /**
                             * Format: uuid
                             * @description ID: the `call_id` of the response.
                             */
                            id: string;
                            /** @description Number in the chain; null until the row is sealed, a second or two after it was written. */
                            seq: number | null;
                            /**
                             * Format: date-time
                             * @description When the call was decided.
                             */
                            occurred_at: string;
                            /**
                             * @description `call`, `outcome`, `confirmation`, `grant` or `admin`. A row of kind `outcome` is about a call whose outcome is
                             *     `started`.
                             */
                            kind: string;
                            /** @description The action or operation. */
                            action: string;
                            /** @description `read`, `write` or `destructive`. */
                            permission_level: string;
                            /** @description `direct`, `dispatcher` or `confirmation`. */
                            via: string;
                            /** @description `rest`, `mcp`, `console`, `cli` or `assistant`. */
                            surface: string;
                            /** @description Who called. */
                            principal: {
                                /** @description `user`, `agent`, `service` or `operator`. */
                                kind: string;
                                /**
                                 * Format: uuid
                                 * @description The user, agent or key.
                                 */
                                id: string;
                                /**
                                 * Format: uuid
                                 * @description The key that was used; null for a token.
                                 */
                                credential_id: string | null;
                            };
                            /**
                             * Format: uuid
                             * @description User who made the call or on whose behalf it was made; null for a service key that acts for no member.
                             */
                            user_id: string | null;
                            /** @description The role at that time; null for none. */
                            role: string | null;
                            /** @description Whether the call was made with a system admin's token. */
                            system_admin: boolean;
                            /** @description Such as `chat` or `mission`. */
                            caller_type: string;
                            /** @description The agent's slug. */
                            caller_name: string | null;
                            /** @description The conversation. */
                            session: string | null;
                            /**
                             * Format: uuid
                             * @description The mission.
                             */
                            mission_id: string | null;
                            /** @description `auto_allowed`, `approved`, `denied`, `confirmation_required`, `rate_limited`, `invalid` or `expired`. */
                            decision: string;
                            /** @description `auto`, `session` or `user`; null where it was not allowed. */
                            granted_by: string | null;
                            /** @description Whether a session grant allowed the call. */
                            always_allow: boolean;
                            /**
                             * Format: uuid
                             * @description The service key that relayed a user's decision.
                             */
                            relayed_by: string | null;
                            /** @description A code that says why. */
                            reason: string | null;
                            /** @description The arguments, sensitive ones masked. */
                            arguments: unknown;
                            /** @description Target, as people know it. */
                            target: string | null;
                            /** @description The code of the error that was answered. */
                            error_code: string | null;
                            /** @description `succeeded`, `failed`, `not_run`, `started`, `unknown` or `handed_out`. */
                            outcome: string;
                            /** @description Duration in milliseconds. */
                            duration_ms: number;
                            /** @description Request ID. */
                            request_id: string;
                            /** @description The trace it belongs to. */
                            trace_id: string | null;
                            /**
                             * Format: uuid
                             * @description The confirmation it belongs to.
                             */
                            confirmation_id: string | null;
                            /** @description Who minted the key that was used; empty for a token, and for a key of the operator's. */
                            minters: string[];
                            /**
                             * Format: uuid
                             * @description The person who changed the arguments, while approving, to those that ran.
                             */
                            edited_by: string | null;
                            /** @description Who issued the token, where its person has no user here; null else. */
                            issuer: string | null;
                            /** @description Who they are to that issuer; null else. */
                            subject: string | null;
                            /** @description JSON pointers to the arguments that were read differently from how they were written; `""`: the text. */
                            repaired: string[];
                            /** @description What runs a declared tool or an effect of a pack: `http`, `mcp`, `client` or `pack`. Null for other actions. */
                            executor: string | null;
                            /** @description Digest of the declared tool's definition; null for other actions. */
                            definition: string | null;
                            /**
                             * Format: uuid
                             * @description Of a row of kind `outcome`: the `id` of the call's row.
                             */
                            call_ref: string | null;
                            /**
                             * Format: uuid
                             * @description User, agent or key that reported the outcome of a call that the caller ran.
                             */
                            reported_by: string | null;
                            /** @description Name of the user, agent or key that called; null if it has none or was deleted. */
                            principal_name: string | null;
                            /** @description Name of the user; null if they have none. */
                            user_name: string | null;
                            /** @description Name of the service key that relayed a user's decision. */
                            relayed_by_name: string | null;
                            /** @description Name of the person who changed the arguments. */
                            edited_by_name: string | null;
                            /** @description What became of the call, oldest first: with `group=call` and of one row. Absent if the row is all of it. */
                            steps?: {
                                /**
                                 * Format: uuid
                                 * @description ID of the row.
                                 */
                                id: string;
                                /**
                                 * Format: date-time
                                 * @description When it happened.
                                 */
                                at: string;
                                /**
                                 * @description What happened. `asked`: The call was made, and waits for a person; `first_step`: The first step of a typed approval; `wrong_phrase`: The second step had another phrase; `approved`: Approved as asked; `approved_changed`: Approved with other arguments; `denied`: Denied; `changed`: Changed: another confirmation, of the changed call, is in its place; `superseded`: A later call of the same caller is in its place; `void`: What was asked no longer applies; `expired`: Nobody decided in time; `refused`: Somebody tried to decide who may not, or something that can't be; `started`: A call that runs elsewhere began; `ran`: The call ran; `ended`: A call that runs elsewhere ended.
                                 * @enum {string}
                                 */
                                step: "asked" | "first_step" | "wrong_phrase" | "approved" | "approved_changed" | "denied" | "changed" | "superseded" | "void" | "expired" | "refused" | "started" | "ran" | "ended";
                                /**
                                 * Format: uuid
                                 * @description User, agent or key that did it; null where a time ended.
                                 */
                                by: string | null;
                                /** @description Name of the user, agent or key. */
                                by_name: string | null;
                                /** @description `succeeded`, `failed`, `not_run`, `started`, `unknown` or `handed_out`. */
                                outcome: string;
                                /** @description The code of the error that was answered. */
                                error_code: string | null;
                                /** @description Duration in milliseconds. */
                                duration_ms: number;
                            }[];
                        }[];
                        /** @description Value of `cursor` for the next page; null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    audit_stats: {
        parameters: {
            query: {
                /** @description By what they are counted. `action`: Name of the action or operation; `decision`: The decision; `outcome`: The outcome; `level`: The action's level; `kind`: The kind of row; `principal`: Principal of the call: user, agent or key; `user`: The user who acted or on whose behalf; `via`: How the action was named; `surface`: Surface of the call; `role`: Role of the caller; `caller_type`: The type of the caller; `reason`: Code of the reason; `session`: Session; `confirmation_id`: Confirmation ID; `request_id`: Request ID; `hour`: The hour in UTC. */
                by: "action" | "decision" | "outcome" | "level" | "kind" | "principal" | "user" | "via" | "surface" | "role" | "caller_type" | "reason" | "session" | "confirmation_id" | "request_id" | "hour";
                /**
                 * @description What is counted. Default: `call`, each once, by its end. `call`: A call: its first row, as it ended, at the time when it was made. Calls that only repeat one that waits are not
                 *     counted again; `row`: A row.
                 */
                group?: "call" | "row";
                /** @description Names of actions or operations. */
                action?: string[];
                /** @description Decisions. */
                decision?: ("auto_allowed" | "approved" | "denied" | "confirmation_required" | "rate_limited" | "invalid" | "expired")[];
                /** @description Outcomes. */
                outcome?: ("succeeded" | "failed" | "not_run" | "started" | "unknown" | "handed_out")[];
                /** @description Permission levels. */
                level?: ("read" | "write" | "destructive")[];
                /** @description Principal of the call: user, agent or key. */
                principal?: string;
                /** @description User: their calls, the calls of agents and keys on their behalf, and the calls of service keys that they made. */
                user?: string;
                /** @description Session. */
                session?: string;
                /** @description Kinds of the row. */
                kind?: ("call" | "outcome" | "confirmation" | "grant" | "admin")[];
                /** @description How the action was named. */
                via?: ("direct" | "dispatcher" | "confirmation")[];
                /** @description Surfaces of the call. */
                surface?: ("rest" | "mcp" | "console" | "cli" | "assistant")[];
                /** @description Roles of the caller. */
                role?: ("viewer" | "member" | "editor" | "admin" | "owner")[];
                /** @description Caller types, such as `mission`. */
                caller_type?: string[];
                /** @description Codes of the reason. */
                reason?: string[];
                /** @description Confirmation ID. */
                confirmation_id?: string;
                /** @description Request ID. */
                request_id?: string;
                /** @description Start of the period, inclusive. */
                from?: string;
                /** @description End of the period, exclusive. */
                to?: string;
                /** @description `false` leaves out the operations with which pages of the console read. */
                console_reads?: boolean;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description By what they were counted. `action`: Name of the action or operation; `decision`: The decision; `outcome`: The outcome; `level`: The action's level; `kind`: The kind of row; `principal`: Principal of the call: user, agent or key; `user`: The user who acted or on whose behalf; `via`: How the action was named; `surface`: Surface of the call; `role`: Role of the caller; `caller_type`: The type of the caller; `reason`: Code of the reason; `session`: Session; `confirmation_id`: Confirmation ID; `request_id`: Request ID; `hour`: The hour in UTC.
                         * @enum {string}
                         */
                        by: "action" | "decision" | "outcome" | "level" | "kind" | "principal" | "user" | "via" | "surface" | "role" | "caller_type" | "reason" | "session" | "confirmation_id" | "request_id" | "hour";
                        /** @description Values, most frequent first, at most 1,000; hours are in order, the last 1,000. */
                        items: {
                            /** @description The value; an hour is the time at which it begins. */
                            value: string;
                            /** @description Number of calls or rows. */
                            count: number;
                        }[];
                        /** @description The sum of all counts. */
                        total: number;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    audit_verify: {
        parameters: {
            query?: {
                /** @description Verify only rows with a greater number in the chain. Default: all rows. 100,000 rows take a few seconds. */
                after_seq?: number;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether nothing was changed, removed, inserted, reordered or truncated. */
                        ok: boolean;
                        /** @description Rows in the log, sealed or not. */
                        rows: number;
                        /** @description Sealed rows. */
                        sealed: number;
                        /** @description Number in the chain of the first defect; null if there is none. */
                        first_bad_seq: number | null;
                        /** @description Checkpoints that were verified. */
                        checkpoints: number;
                        /** @description Last number that a signed checkpoint covers; 0 for none. */
                        signed_seq: number;
                        /** @description Hash of the last sealed row. A copy elsewhere shows later whether the chain was truncated. */
                        head_hash: string;
                        /** @description Rows that are not sealed yet. */
                        unsealed: number;
                        /** @description Unsealed rows that are older than ten seconds: no process seals rows. */
                        overdue: number;
                        /**
                         * @description Rows that were sealed more than five minutes from their time, or after a row that is more than 150 seconds newer: no
                         *     process sealed rows, a clock was changed, or the rows were backdated.
                         */
                        late: number;
                        /**
                         * Format: date-time
                         * @description Time of the oldest late row; null if there is none.
                         */
                        late_from: string | null;
                        /**
                         * Format: date-time
                         * @description Time of the newest late row; null if there is none.
                         */
                        late_to: string | null;
                        /** @description Number of defects. */
                        defects: number;
                        /** @description The first 20 defects. */
                        problems: {
                            /** @description Number in the chain. */
                            seq: number;
                            /**
                             * Format: uuid
                             * @description ID of the row; null if there is none.
                             */
                            row_id: string | null;
                            /** @description What is wrong. */
                            problem: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    audit_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The `call_id` of an answer. */
                call_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description ID: the `call_id` of the response.
                         */
                        id: string;
                        /** @description Number in the chain; null until the row is sealed, a second or two after it was written. */
                        seq: number | null;
                        /**
                         * Format: date-time
                         * @description When the call was decided.
                         */
                        occurred_at: string;
                        /**
                         * @description `call`, `outcome`, `confirmation`, `grant` or `admin`. A row of kind `outcome` is about a call whose outcome is
                         *     `started`.
                         */
                        kind: string;
                        /** @description The action or operation. */
                        action: string;
                        /** @description `read`, `write` or `destructive`. */
                        permission_level: string;
                        /** @description `direct`, `dispatcher` or `confirmation`. */
                        via: string;
                        /** @description `rest`, `mcp`, `console`, `cli` or `assistant`. */
                        surface: string;
                        /** @description Who called. */
                        principal: {
                            /** @description `user`, `agent`, `service` or `operator`. */
                            kind: string;
                            /**
                             * Format: uuid
                             * @description The user, agent or key.
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The key that was used; null for a token.
                             */
                            credential_id: string | null;
                        };
                        /**
                         * Format: uuid
                         * @description User who made the call or on whose behalf it was made; null for a service key that acts for no member.
                         */
                        user_id: string | null;
                        /** @description The role at that time; null for none. */
                        role: string | null;
                        /** @description Whether the call was made with a system admin's token. */
                        system_admin: boolean;
                        /** @description Such as `chat` or `mission`. */
                        caller_type: string;
                        /** @description The agent's slug. */
                        caller_name: string | null;
                        /** @description The conversation. */
                        session: string | null;
                        /**
                         * Format: uuid
                         * @description The mission.
                         */
                        mission_id: string | null;
                        /** @description `auto_allowed`, `approved`, `denied`, `confirmation_required`, `rate_limited`, `invalid` or `expired`. */
                        decision: string;
                        /** @description `auto`, `session` or `user`; null where it was not allowed. */
                        granted_by: string | null;
                        /** @description Whether a session grant allowed the call. */
                        always_allow: boolean;
                        /**
                         * Format: uuid
                         * @description The service key that relayed a user's decision.
                         */
                        relayed_by: string | null;
                        /** @description A code that says why. */
                        reason: string | null;
                        /** @description The arguments, sensitive ones masked. */
                        arguments: unknown;
                        /** @description Target, as people know it. */
                        target: string | null;
                        /** @description The code of the error that was answered. */
                        error_code: string | null;
                        /** @description `succeeded`, `failed`, `not_run`, `started`, `unknown` or `handed_out`. */
                        outcome: string;
                        /** @description Duration in milliseconds. */
                        duration_ms: number;
                        /** @description Request ID. */
                        request_id: string;
                        /** @description The trace it belongs to. */
                        trace_id: string | null;
                        /**
                         * Format: uuid
                         * @description The confirmation it belongs to.
                         */
                        confirmation_id: string | null;
                        /** @description Who minted the key that was used; empty for a token, and for a key of the operator's. */
                        minters: string[];
                        /**
                         * Format: uuid
                         * @description The person who changed the arguments, while approving, to those that ran.
                         */
                        edited_by: string | null;
                        /** @description Who issued the token, where its person has no user here; null else. */
                        issuer: string | null;
                        /** @description Who they are to that issuer; null else. */
                        subject: string | null;
                        /** @description JSON pointers to the arguments that were read differently from how they were written; `""`: the text. */
                        repaired: string[];
                        /** @description What runs a declared tool or an effect of a pack: `http`, `mcp`, `client` or `pack`. Null for other actions. */
                        executor: string | null;
                        /** @description Digest of the declared tool's definition; null for other actions. */
                        definition: string | null;
                        /**
                         * Format: uuid
                         * @description Of a row of kind `outcome`: the `id` of the call's row.
                         */
                        call_ref: string | null;
                        /**
                         * Format: uuid
                         * @description User, agent or key that reported the outcome of a call that the caller ran.
                         */
                        reported_by: string | null;
                        /** @description Name of the user, agent or key that called; null if it has none or was deleted. */
                        principal_name: string | null;
                        /** @description Name of the user; null if they have none. */
                        user_name: string | null;
                        /** @description Name of the service key that relayed a user's decision. */
                        relayed_by_name: string | null;
                        /** @description Name of the person who changed the arguments. */
                        edited_by_name: string | null;
                        /** @description What became of the call, oldest first: with `group=call` and of one row. Absent if the row is all of it. */
                        steps?: {
                            /**
                             * Format: uuid
                             * @description ID of the row.
                             */
                            id: string;
                            /**
                             * Format: date-time
                             * @description When it happened.
                             */
                            at: string;
                            /**
                             * @description What happened. `asked`: The call was made, and waits for a person; `first_step`: The first step of a typed approval; `wrong_phrase`: The second step had another phrase; `approved`: Approved as asked; `approved_changed`: Approved with other arguments; `denied`: Denied; `changed`: Changed: another confirmation, of the changed call, is in its place; `superseded`: A later call of the same caller is in its place; `void`: What was asked no longer applies; `expired`: Nobody decided in time; `refused`: Somebody tried to decide who may not, or something that can't be; `started`: A call that runs elsewhere began; `ran`: The call ran; `ended`: A call that runs elsewhere ended.
                             * @enum {string}
                             */
                            step: "asked" | "first_step" | "wrong_phrase" | "approved" | "approved_changed" | "denied" | "changed" | "superseded" | "void" | "expired" | "refused" | "started" | "ran" | "ended";
                            /**
                             * Format: uuid
                             * @description User, agent or key that did it; null where a time ended.
                             */
                            by: string | null;
                            /** @description Name of the user, agent or key. */
                            by_name: string | null;
                            /** @description `succeeded`, `failed`, `not_run`, `started`, `unknown` or `handed_out`. */
                            outcome: string;
                            /** @description The code of the error that was answered. */
                            error_code: string | null;
                            /** @description Duration in milliseconds. */
                            duration_ms: number;
                        }[];
                        /**
                         * @description If the call's outcome is `started`: the rows of kind `outcome` that tell how it ended, oldest first. There are
                         *     two if the end was unknown at first and was reported late.
                         */
                        outcomes?: {
                            /**
                             * Format: uuid
                             * @description ID: the `call_id` of the response.
                             */
                            id: string;
                            /** @description Number in the chain; null until the row is sealed, a second or two after it was written. */
                            seq: number | null;
                            /**
                             * Format: date-time
                             * @description When the call was decided.
                             */
                            occurred_at: string;
                            /**
                             * @description `call`, `outcome`, `confirmation`, `grant` or `admin`. A row of kind `outcome` is about a call whose outcome is
                             *     `started`.
                             */
                            kind: string;
                            /** @description The action or operation. */
                            action: string;
                            /** @description `read`, `write` or `destructive`. */
                            permission_level: string;
                            /** @description `direct`, `dispatcher` or `confirmation`. */
                            via: string;
                            /** @description `rest`, `mcp`, `console`, `cli` or `assistant`. */
                            surface: string;
                            /** @description Who called. */
                            principal: {
                                /** @description `user`, `agent`, `service` or `operator`. */
                                kind: string;
                                /**
                                 * Format: uuid
                                 * @description The user, agent or key.
                                 */
                                id: string;
                                /**
                                 * Format: uuid
                                 * @description The key that was used; null for a token.
                                 */
                                credential_id: string | null;
                            };
                            /**
                             * Format: uuid
                             * @description User who made the call or on whose behalf it was made; null for a service key that acts for no member.
                             */
                            user_id: string | null;
                            /** @description The role at that time; null for none. */
                            role: string | null;
                            /** @description Whether the call was made with a system admin's token. */
                            system_admin: boolean;
                            /** @description Such as `chat` or `mission`. */
                            caller_type: string;
                            /** @description The agent's slug. */
                            caller_name: string | null;
                            /** @description The conversation. */
                            session: string | null;
                            /**
                             * Format: uuid
                             * @description The mission.
                             */
                            mission_id: string | null;
                            /** @description `auto_allowed`, `approved`, `denied`, `confirmation_required`, `rate_limited`, `invalid` or `expired`. */
                            decision: string;
                            /** @description `auto`, `session` or `user`; null where it was not allowed. */
                            granted_by: string | null;
                            /** @description Whether a session grant allowed the call. */
                            always_allow: boolean;
                            /**
                             * Format: uuid
                             * @description The service key that relayed a user's decision.
                             */
                            relayed_by: string | null;
                            /** @description A code that says why. */
                            reason: string | null;
                            /** @description The arguments, sensitive ones masked. */
                            arguments: unknown;
                            /** @description Target, as people know it. */
                            target: string | null;
                            /** @description The code of the error that was answered. */
                            error_code: string | null;
                            /** @description `succeeded`, `failed`, `not_run`, `started`, `unknown` or `handed_out`. */
                            outcome: string;
                            /** @description Duration in milliseconds. */
                            duration_ms: number;
                            /** @description Request ID. */
                            request_id: string;
                            /** @description The trace it belongs to. */
                            trace_id: string | null;
                            /**
                             * Format: uuid
                             * @description The confirmation it belongs to.
                             */
                            confirmation_id: string | null;
                            /** @description Who minted the key that was used; empty for a token, and for a key of the operator's. */
                            minters: string[];
                            /**
                             * Format: uuid
                             * @description The person who changed the arguments, while approving, to those that ran.
                             */
                            edited_by: string | null;
                            /** @description Who issued the token, where its person has no user here; null else. */
                            issuer: string | null;
                            /** @description Who they are to that issuer; null else. */
                            subject: string | null;
                            /** @description JSON pointers to the arguments that were read differently from how they were written; `""`: the text. */
                            repaired: string[];
                            /** @description What runs a declared tool or an effect of a pack: `http`, `mcp`, `client` or `pack`. Null for other actions. */
                            executor: string | null;
                            /** @description Digest of the declared tool's definition; null for other actions. */
                            definition: string | null;
                            /**
                             * Format: uuid
                             * @description Of a row of kind `outcome`: the `id` of the call's row.
                             */
                            call_ref: string | null;
                            /**
                             * Format: uuid
                             * @description User, agent or key that reported the outcome of a call that the caller ran.
                             */
                            reported_by: string | null;
                            /** @description Name of the user, agent or key that called; null if it has none or was deleted. */
                            principal_name: string | null;
                            /** @description Name of the user; null if they have none. */
                            user_name: string | null;
                            /** @description Name of the service key that relayed a user's decision. */
                            relayed_by_name: string | null;
                            /** @description Name of the person who changed the arguments. */
                            edited_by_name: string | null;
                            /** @description What became of the call, oldest first: with `group=call` and of one row. Absent if the row is all of it. */
                            steps?: {
                                /**
                                 * Format: uuid
                                 * @description ID of the row.
                                 */
                                id: string;
                                /**
                                 * Format: date-time
                                 * @description When it happened.
                                 */
                                at: string;
                                /**
                                 * @description What happened. `asked`: The call was made, and waits for a person; `first_step`: The first step of a typed approval; `wrong_phrase`: The second step had another phrase; `approved`: Approved as asked; `approved_changed`: Approved with other arguments; `denied`: Denied; `changed`: Changed: another confirmation, of the changed call, is in its place; `superseded`: A later call of the same caller is in its place; `void`: What was asked no longer applies; `expired`: Nobody decided in time; `refused`: Somebody tried to decide who may not, or something that can't be; `started`: A call that runs elsewhere began; `ran`: The call ran; `ended`: A call that runs elsewhere ended.
                                 * @enum {string}
                                 */
                                step: "asked" | "first_step" | "wrong_phrase" | "approved" | "approved_changed" | "denied" | "changed" | "superseded" | "void" | "expired" | "refused" | "started" | "ran" | "ended";
                                /**
                                 * Format: uuid
                                 * @description User, agent or key that did it; null where a time ended.
                                 */
                                by: string | null;
                                /** @description Name of the user, agent or key. */
                                by_name: string | null;
                                /** @description `succeeded`, `failed`, `not_run`, `started`, `unknown` or `handed_out`. */
                                outcome: string;
                                /** @description The code of the error that was answered. */
                                error_code: string | null;
                                /** @description Duration in milliseconds. */
                                duration_ms: number;
                            }[];
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    members_list: {
        parameters: {
            query?: {
                /** @description Only the member with this `sub`. */
                subject?: string;
                /** @description Page size. Default: 20. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of this page. */
                        items: {
                            /**
                             * Format: uuid
                             * @description User ID.
                             */
                            user_id: string;
                            /** @description Issuer (`iss`) of the member's tokens. */
                            issuer: string;
                            /** @description Subject (`sub`) of the member's tokens. */
                            subject: string;
                            /** @description Display name in this workspace. */
                            display_name: string | null;
                            /** @description `viewer`, `member`, `editor`, `admin` or `owner`. */
                            role: string;
                            /** @description Whether the membership is active. An inactive member has no permissions. */
                            active: boolean;
                            /**
                             * Format: date-time
                             * @description Time at which the member was added.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description Time of the last change of the membership.
                             */
                            updated_at: string;
                        }[];
                        /** @description Value of `cursor` for the next page; null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    members_add: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Subject (`sub`) of the member's tokens. */
                    subject: string;
                    /** @description Issuer (`iss`) of the member's tokens. Default: the issuer of your own token. */
                    issuer?: string;
                    /**
                     * @description Role of the member. `viewer`: Reads; `member`: Reads and does day-to-day work; `editor`: Also manages agents, playbooks, documents and the like; `admin`: Also deletes, and administers members, keys and settings; `owner`: Has every permission, and may weaken settings.
                     * @enum {string}
                     */
                    role: "viewer" | "member" | "editor" | "admin" | "owner";
                    /** @description Display name in this workspace. */
                    display_name?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description User ID.
                         */
                        user_id: string;
                        /** @description Issuer (`iss`) of the member's tokens. */
                        issuer: string;
                        /** @description Subject (`sub`) of the member's tokens. */
                        subject: string;
                        /** @description Display name in this workspace. */
                        display_name: string | null;
                        /** @description `viewer`, `member`, `editor`, `admin` or `owner`. */
                        role: string;
                        /** @description Whether the membership is active. An inactive member has no permissions. */
                        active: boolean;
                        /**
                         * Format: date-time
                         * @description Time at which the member was added.
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description Time of the last change of the membership.
                         */
                        updated_at: string;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    invitations_list: {
        parameters: {
            query?: {
                /** @description Whether only those that can still be used are listed. */
                open?: boolean;
                /** @description Page size. Default: 20. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of this page. */
                        items: {
                            /**
                             * Format: uuid
                             * @description ID.
                             */
                            id: string;
                            /** @description Role that it gives, if whoever made it may still give that much; a lower one otherwise. */
                            role: string;
                            /** @description E-mail address that the identity provider must confirm for whoever uses it. Null: anybody with the code. */
                            email: string | null;
                            /**
                             * @description State. `open`: It can be used; `used`: Somebody became a member by it; `expired`: Its time is over; `revoked`: It was revoked.
                             * @enum {string}
                             */
                            state: "open" | "used" | "expired" | "revoked";
                            /**
                             * Format: uuid
                             * @description User who made it. Null for one that was made on the command line, which ends when the workspace has an owner.
                             */
                            invited_by: string | null;
                            /** @description Name of that user. */
                            invited_by_name: string | null;
                            /**
                             * Format: date-time
                             * @description Time of creation.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description Time of expiry.
                             */
                            expires_at: string;
                            /**
                             * Format: uuid
                             * @description User who became a member by it.
                             */
                            used_by: string | null;
                            /** @description Name of that user. */
                            used_by_name: string | null;
                            /**
                             * Format: date-time
                             * @description Time of its use.
                             */
                            used_at: string | null;
                            /**
                             * Format: date-time
                             * @description Time of revocation.
                             */
                            revoked_at: string | null;
                        }[];
                        /** @description Value of `cursor` for the next page; null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    invitations_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Role of the new member; what you may give when the invitation is used bounds it. `viewer`: Reads; `member`: Reads and does day-to-day work; `editor`: Also manages agents, playbooks, documents and the like; `admin`: Also deletes, and administers members, keys and settings; `owner`: Has every permission, and may weaken settings.
                     * @enum {string}
                     */
                    role: "viewer" | "member" | "editor" | "admin" | "owner";
                    /**
                     * @description E-mail address that the identity provider must confirm for whoever uses the invitation. Without one, anybody
                     *     with the code can.
                     */
                    email?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Code of the invitation. Shown only once. Null in a replay. */
                        code: string | null;
                        /** @description Address at which the person signs in with the code. Shown only once. Null in a replay. */
                        url: string | null;
                        /**
                         * Format: uuid
                         * @description ID.
                         */
                        id: string;
                        /** @description Role that it gives, if whoever made it may still give that much; a lower one otherwise. */
                        role: string;
                        /** @description E-mail address that the identity provider must confirm for whoever uses it. Null: anybody with the code. */
                        email: string | null;
                        /**
                         * @description State. `open`: It can be used; `used`: Somebody became a member by it; `expired`: Its time is over; `revoked`: It was revoked.
                         * @enum {string}
                         */
                        state: "open" | "used" | "expired" | "revoked";
                        /**
                         * Format: uuid
                         * @description User who made it. Null for one that was made on the command line, which ends when the workspace has an owner.
                         */
                        invited_by: string | null;
                        /** @description Name of that user. */
                        invited_by_name: string | null;
                        /**
                         * Format: date-time
                         * @description Time of creation.
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description Time of expiry.
                         */
                        expires_at: string;
                        /**
                         * Format: uuid
                         * @description User who became a member by it.
                         */
                        used_by: string | null;
                        /** @description Name of that user. */
                        used_by_name: string | null;
                        /**
                         * Format: date-time
                         * @description Time of its use.
                         */
                        used_at: string | null;
                        /**
                         * Format: date-time
                         * @description Time of revocation.
                         */
                        revoked_at: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    workspaces_list: {
        parameters: {
            query?: {
                /** @description Page size. Default: 20. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of this page. */
                        items: {
                            /**
                             * Format: uuid
                             * @description ID.
                             */
                            id: string;
                            /** @description Display name. */
                            name: string;
                            /** @description ID at the identity provider. */
                            external_id: string | null;
                            /** @description Product that was used. */
                            plan: string;
                            /** @description Role of the caller in the workspace; null if the caller has none. */
                            role: string | null;
                            /**
                             * Format: date-time
                             * @description Time of creation.
                             */
                            created_at: string;
                        }[];
                        /** @description Value of `cursor` for the next page; null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    workspaces_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Display name. */
                    name: string;
                    /** @description ID at the identity provider. Must not be a UUID. */
                    external_id?: string;
                    /** @description Owner of the workspace. */
                    owner: {
                        /** @description Subject (`sub`) of the member's tokens. */
                        subject: string;
                        /** @description Issuer (`iss`) of the member's tokens. Default: the issuer of your own token. */
                        issuer?: string;
                    };
                    /** @description Rate limits, in calls per minute. Default: the built-in limits. */
                    limits?: {
                        /** @description Calls of write and destructive actions per minute. */
                        write_per_minute?: number;
                        /** @description Reads. */
                        read_per_minute?: number;
                        /** @description Calls of external actions per minute. */
                        external_per_minute?: number;
                        /** @description Calls of tools that the caller runs, per minute. */
                        client_per_minute?: number;
                        /** @description Percentage of the write limit that one person may use while another person is active; 1 to 100. */
                        write_share_percent?: number;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description ID.
                         */
                        id: string;
                        /** @description Display name. */
                        name: string;
                        /** @description ID at the identity provider. */
                        external_id: string | null;
                        /** @description Product that was used. */
                        plan: string;
                        /** @description Role of the caller in the workspace; null if the caller has none. */
                        role: string | null;
                        /**
                         * Format: date-time
                         * @description Time of creation.
                         */
                        created_at: string;
                        /**
                         * Format: uuid
                         * @description User ID of the owner.
                         */
                        owner_id: string;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    members_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description User ID. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description User ID.
                         */
                        user_id: string;
                        /** @description Issuer (`iss`) of the member's tokens. */
                        issuer: string;
                        /** @description Subject (`sub`) of the member's tokens. */
                        subject: string;
                        /** @description Display name in this workspace. */
                        display_name: string | null;
                        /** @description `viewer`, `member`, `editor`, `admin` or `owner`. */
                        role: string;
                        /** @description Whether the membership is active. An inactive member has no permissions. */
                        active: boolean;
                        /**
                         * Format: date-time
                         * @description Time at which the member was added.
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description Time of the last change of the membership.
                         */
                        updated_at: string;
                        /**
                         * @description What depends on the member; check it before you change or remove the membership. Null if the caller may not
                         *     read keys.
                         */
                        delegates: {
                            /**
                             * @description Keys that the member created, at most 200. Without the membership they have no permissions until somebody
                             *     adopts them.
                             */
                            minted_keys: {
                                /**
                                 * Format: uuid
                                 * @description ID.
                                 */
                                id: string;
                                /** @description `agent` or `service`. */
                                kind: string;
                                /** @description Display name. */
                                name: string;
                                /** @description Whether the caller may adopt the key now. */
                                adoptable: boolean;
                            }[];
                            /**
                             * @description Keys of agents that run as the member, at most 200. Without the membership they have no permissions, and
                             *     nobody can adopt them.
                             */
                            agent_keys: {
                                /**
                                 * Format: uuid
                                 * @description ID.
                                 */
                                id: string;
                                /** @description `agent` or `service`. */
                                kind: string;
                                /** @description Display name. */
                                name: string;
                                /** @description Whether the caller may adopt the key now. */
                                adoptable: boolean;
                            }[];
                            /** @description Number of keys beyond these lists. */
                            more_keys: number;
                            /**
                             * @description Objects that the member set up, at most 200. They keep working without the membership, except that with the setting
                             *     `runner: internal` schedules, heartbeats, playbooks and missions end when they are next due.
                             */
                            goes_on: {
                                /** @description `webhook`, `connection`, `datasource`, `schedule`, `heartbeat`, `playbook` or `mission`. */
                                kind: string;
                                /**
                                 * Format: uuid
                                 * @description ID.
                                 */
                                id: string;
                                /** @description Name, URL or description. */
                                name: string;
                            }[];
                        } | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    members_remove: {
        parameters: {
            query?: {
                /** @description Whether you adopt every key of the member that you may adopt, in the same transaction. */
                adopt?: boolean;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description User ID. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description User ID of the removed member.
                         */
                        user_id: string;
                        /** @description Display name of the removed member. */
                        name: string;
                        /** @description Always `true`. */
                        removed: boolean;
                        /**
                         * @description Keys that have fewer permissions now, at most 200. An admin who may create such a key can adopt it. Empty if
                         *     the caller may not read keys.
                         */
                        weakened: {
                            /**
                             * Format: uuid
                             * @description ID.
                             */
                            id: string;
                            /** @description `agent` or `service`. */
                            kind: string;
                            /** @description Display name. */
                            name: string;
                            /**
                             * Format: uuid
                             * @description Agent that uses the key.
                             */
                            agent_id: string | null;
                            /** @description Name of the agent. */
                            agent_name: string | null;
                            /**
                             * Format: uuid
                             * @description Member whose role limits the agent.
                             */
                            runs_as: string | null;
                            /** @description Name of the member. */
                            runs_as_name: string | null;
                            /**
                             * Format: uuid
                             * @description Mission of the agent.
                             */
                            mission: string | null;
                            /** @description Role of a service key for calls that act for no member. */
                            role: string | null;
                            /** @description Scopes of the key. */
                            scopes: string[];
                            /** @description Caller types that the key may use; the first is the default. */
                            caller_types: string[];
                            /**
                             * Format: uuid
                             * @description User who created it.
                             */
                            created_by: string | null;
                            /** @description Name of the user who created it. */
                            created_by_name: string | null;
                            /**
                             * @description User IDs of the people whose permissions limit the key: those who saw its secret. Empty for a key that was
                             *     created on the command line.
                             */
                            minters: string[];
                            /** @description Names of these people, in the same order; null for one without a name. */
                            minter_names: (string | null)[];
                            /**
                             * Format: uuid
                             * @description Key that created this key. Revoking it revokes this key too.
                             */
                            parent: string | null;
                            /** @description Name of that key. */
                            parent_name: string | null;
                            /**
                             * @description Highest role of the key now: the role of an agent's key, or the role of a service key for calls that act for
                             *     no member. Null if the key has no permissions.
                             */
                            role_now: ("viewer" | "member" | "editor" | "admin" | "owner") | null;
                            /** @description Scopes that have no effect now, each with the reason. */
                            limited_by: string[];
                            /**
                             * Format: date-time
                             * @description Time of creation.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description Time of expiry.
                             */
                            expires_at: string | null;
                            /**
                             * Format: date-time
                             * @description Time at which the secret from before the adoption expires or expired.
                             */
                            old_until: string | null;
                            /**
                             * Format: date-time
                             * @description Time of revocation.
                             */
                            revoked_at: string | null;
                            /**
                             * Format: date-time
                             * @description Time of the last use, to the minute.
                             */
                            last_used_at: string | null;
                        }[];
                        /** @description Number of keys beyond this list. */
                        more_weakened: number;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    members_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description User ID. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Role of the member. `viewer`: Reads; `member`: Reads and does day-to-day work; `editor`: Also manages agents, playbooks, documents and the like; `admin`: Also deletes, and administers members, keys and settings; `owner`: Has every permission, and may weaken settings.
                     * @enum {string}
                     */
                    role?: "viewer" | "member" | "editor" | "admin" | "owner";
                    /** @description Whether the membership is active. An inactive member has no permissions. */
                    active?: boolean;
                    /** @description Whether you adopt every key of the member that you may adopt, in the same transaction. */
                    adopt?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description User ID.
                         */
                        user_id: string;
                        /** @description Issuer (`iss`) of the member's tokens. */
                        issuer: string;
                        /** @description Subject (`sub`) of the member's tokens. */
                        subject: string;
                        /** @description Display name in this workspace. */
                        display_name: string | null;
                        /** @description `viewer`, `member`, `editor`, `admin` or `owner`. */
                        role: string;
                        /** @description Whether the membership is active. An inactive member has no permissions. */
                        active: boolean;
                        /**
                         * Format: date-time
                         * @description Time at which the member was added.
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description Time of the last change of the membership.
                         */
                        updated_at: string;
                        /** @description Whether anything changed. */
                        changed: boolean;
                        /**
                         * @description Keys that have fewer permissions now, at most 200. An admin who may create such a key can adopt it. Empty if
                         *     the caller may not read keys.
                         */
                        weakened: {
                            /**
                             * Format: uuid
                             * @description ID.
                             */
                            id: string;
                            /** @description `agent` or `service`. */
                            kind: string;
                            /** @description Display name. */
                            name: string;
                            /**
                             * Format: uuid
                             * @description Agent that uses the key.
                             */
                            agent_id: string | null;
                            /** @description Name of the agent. */
                            agent_name: string | null;
                            /**
                             * Format: uuid
                             * @description Member whose role limits the agent.
                             */
                            runs_as: string | null;
                            /** @description Name of the member. */
                            runs_as_name: string | null;
                            /**
                             * Format: uuid
                             * @description Mission of the agent.
                             */
                            mission: string | null;
                            /** @description Role of a service key for calls that act for no member. */
                            role: string | null;
                            /** @description Scopes of the key. */
                            scopes: string[];
                            /** @description Caller types that the key may use; the first is the default. */
                            caller_types: string[];
                            /**
                             * Format: uuid
                             * @description User who created it.
                             */
                            created_by: string | null;
                            /** @description Name of the user who created it. */
                            created_by_name: string | null;
                            /**
                             * @description User IDs of the people whose permissions limit the key: those who saw its secret. Empty for a key that was
                             *     created on the command line.
                             */
                            minters: string[];
                            /** @description Names of these people, in the same order; null for one without a name. */
                            minter_names: (string | null)[];
                            /**
                             * Format: uuid
                             * @description Key that created this key. Revoking it revokes this key too.
                             */
                            parent: string | null;
                            /** @description Name of that key. */
                            parent_name: string | null;
                            /**
                             * @description Highest role of the key now: the role of an agent's key, or the role of a service key for calls that act for
                             *     no member. Null if the key has no permissions.
                             */
                            role_now: ("viewer" | "member" | "editor" | "admin" | "owner") | null;
                            /** @description Scopes that have no effect now, each with the reason. */
                            limited_by: string[];
                            /**
                             * Format: date-time
                             * @description Time of creation.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description Time of expiry.
                             */
                            expires_at: string | null;
                            /**
                             * Format: date-time
                             * @description Time at which the secret from before the adoption expires or expired.
                             */
                            old_until: string | null;
                            /**
                             * Format: date-time
                             * @description Time of revocation.
                             */
                            revoked_at: string | null;
                            /**
                             * Format: date-time
                             * @description Time of the last use, to the minute.
                             */
                            last_used_at: string | null;
                        }[];
                        /** @description Number of keys beyond this list. */
                        more_weakened: number;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    keys_list: {
        parameters: {
            query?: {
                /** @description Page size. Default: 20. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of this page. */
                        items: {
                            /**
                             * Format: uuid
                             * @description ID.
                             */
                            id: string;
                            /** @description `agent` or `service`. */
                            kind: string;
                            /** @description Display name. */
                            name: string;
                            /**
                             * Format: uuid
                             * @description Agent that uses the key.
                             */
                            agent_id: string | null;
                            /** @description Name of the agent. */
                            agent_name: string | null;
                            /**
                             * Format: uuid
                             * @description Member whose role limits the agent.
                             */
                            runs_as: string | null;
                            /** @description Name of the member. */
                            runs_as_name: string | null;
                            /**
                             * Format: uuid
                             * @description Mission of the agent.
                             */
                            mission: string | null;
                            /** @description Role of a service key for calls that act for no member. */
                            role: string | null;
                            /** @description Scopes of the key. */
                            scopes: string[];
                            /** @description Caller types that the key may use; the first is the default. */
                            caller_types: string[];
                            /**
                             * Format: uuid
                             * @description User who created it.
                             */
                            created_by: string | null;
                            /** @description Name of the user who created it. */
                            created_by_name: string | null;
                            /**
                             * @description User IDs of the people whose permissions limit the key: those who saw its secret. Empty for a key that was
                             *     created on the command line.
                             */
                            minters: string[];
                            /** @description Names of these people, in the same order; null for one without a name. */
                            minter_names: (string | null)[];
                            /**
                             * Format: uuid
                             * @description Key that created this key. Revoking it revokes this key too.
                             */
                            parent: string | null;
                            /** @description Name of that key. */
                            parent_name: string | null;
                            /**
                             * @description Highest role of the key now: the role of an agent's key, or the role of a service key for calls that act for
                             *     no member. Null if the key has no permissions.
                             */
                            role_now: ("viewer" | "member" | "editor" | "admin" | "owner") | null;
                            /** @description Scopes that have no effect now, each with the reason. */
                            limited_by: string[];
                            /**
                             * Format: date-time
                             * @description Time of creation.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description Time of expiry.
                             */
                            expires_at: string | null;
                            /**
                             * Format: date-time
                             * @description Time at which the secret from before the adoption expires or expired.
                             */
                            old_until: string | null;
                            /**
                             * Format: date-time
                             * @description Time of revocation.
                             */
                            revoked_at: string | null;
                            /**
                             * Format: date-time
                             * @description Time of the last use, to the minute.
                             */
                            last_used_at: string | null;
                        }[];
                        /** @description Value of `cursor` for the next page; null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    keys_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "service",
                 *       "name": "Chat backend",
                 *       "role": "editor",
                 *       "scopes": [
                 *         "agents:read",
                 *         "tasks:use"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Kind of the key. `service`: An application; `agent`: An agent; its rights are those of the member it runs as.
                     * @enum {string}
                     */
                    kind: "service" | "agent";
                    /** @description Display name. */
                    name: string;
                    /** @description For an agent's key: ID or exact name of the agent. */
                    agent?: string;
                    /**
                     * Format: uuid
                     * @description For an agent's key: member whose role limits the agent. Default: you.
                     */
                    runs_as?: string;
                    /**
                     * Format: uuid
                     * @description For an agent's key: mission of the agent. The key can't use the field of another mission.
                     */
                    mission?: string;
                    /**
                     * @description For a service key: role for calls that act for no member, at most `editor`. Default: your role, at most `editor`. `viewer`: Reads; `member`: Reads and does day-to-day work; `editor`: Also manages agents, playbooks, documents and the like; `admin`: Also deletes, and administers members, keys and settings; `owner`: Has every permission, and may weaken settings.
                     * @enum {string}
                     */
                    role?: "viewer" | "member" | "editor" | "admin" | "owner";
                    /**
                     * @description Scopes, such as `*:read` or `tasks:use`; only scopes that you have. Only owners can give `act_as` and
                     *     `approvals:relay`. An agent's key can't have these two, nor `records:write`.
                     */
                    scopes: string[];
                    /**
                     * @description Caller types that the key may use; the first is the default. Default: `api`. A key can give only its own
                     *     caller types.
                     */
                    caller_types?: string[];
                    /**
                     * Format: date-time
                     * @description Time of expiry. Default: never. A key that is created with another key expires no later than that key and
                     *     its old secret.
                     */
                    expires_at?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Secret for `Authorization: Bearer`. Shown only once. Null in a replay. */
                        secret: string | null;
                        /**
                         * Format: uuid
                         * @description ID.
                         */
                        id: string;
                        /** @description `agent` or `service`. */
                        kind: string;
                        /** @description Display name. */
                        name: string;
                        /**
                         * Format: uuid
                         * @description Agent that uses the key.
                         */
                        agent_id: string | null;
                        /** @description Name of the agent. */
                        agent_name: string | null;
                        /**
                         * Format: uuid
                         * @description Member whose role limits the agent.
                         */
                        runs_as: string | null;
                        /** @description Name of the member. */
                        runs_as_name: string | null;
                        /**
                         * Format: uuid
                         * @description Mission of the agent.
                         */
                        mission: string | null;
                        /** @description Role of a service key for calls that act for no member. */
                        role: string | null;
                        /** @description Scopes of the key. */
                        scopes: string[];
                        /** @description Caller types that the key may use; the first is the default. */
                        caller_types: string[];
                        /**
                         * Format: uuid
                         * @description User who created it.
                         */
                        created_by: string | null;
                        /** @description Name of the user who created it. */
                        created_by_name: string | null;
                        /**
                         * @description User IDs of the people whose permissions limit the key: those who saw its secret. Empty for a key that was
                         *     created on the command line.
                         */
                        minters: string[];
                        /** @description Names of these people, in the same order; null for one without a name. */
                        minter_names: (string | null)[];
                        /**
                         * Format: uuid
                         * @description Key that created this key. Revoking it revokes this key too.
                         */
                        parent: string | null;
                        /** @description Name of that key. */
                        parent_name: string | null;
                        /**
                         * @description Highest role of the key now: the role of an agent's key, or the role of a service key for calls that act for
                         *     no member. Null if the key has no permissions.
                         */
                        role_now: ("viewer" | "member" | "editor" | "admin" | "owner") | null;
                        /** @description Scopes that have no effect now, each with the reason. */
                        limited_by: string[];
                        /**
                         * Format: date-time
                         * @description Time of creation.
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description Time of expiry.
                         */
                        expires_at: string | null;
                        /**
                         * Format: date-time
                         * @description Time at which the secret from before the adoption expires or expired.
                         */
                        old_until: string | null;
                        /**
                         * Format: date-time
                         * @description Time of revocation.
                         */
                        revoked_at: string | null;
                        /**
                         * Format: date-time
                         * @description Time of the last use, to the minute.
                         */
                        last_used_at: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    keys_adopt: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /** @description The key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Whether the key gets a new secret. Until the old secret expires, the permissions of the people who know it
                     *     limit the key too. Keys that were created with the old secret expire with it.
                     */
                    new_secret?: boolean;
                    /**
                     * Format: date-time
                     * @description Time at which the old secret expires, at most one day from now; a time in the past means at once. Default: one
                     *     hour from now. Only with `new_secret`.
                     */
                    old_until?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description New secret for `Authorization: Bearer`, shown only once; null if the secret stays. Null in a replay. */
                        secret: string | null;
                        /**
                         * Format: uuid
                         * @description ID.
                         */
                        id: string;
                        /** @description `agent` or `service`. */
                        kind: string;
                        /** @description Display name. */
                        name: string;
                        /**
                         * Format: uuid
                         * @description Agent that uses the key.
                         */
                        agent_id: string | null;
                        /** @description Name of the agent. */
                        agent_name: string | null;
                        /**
                         * Format: uuid
                         * @description Member whose role limits the agent.
                         */
                        runs_as: string | null;
                        /** @description Name of the member. */
                        runs_as_name: string | null;
                        /**
                         * Format: uuid
                         * @description Mission of the agent.
                         */
                        mission: string | null;
                        /** @description Role of a service key for calls that act for no member. */
                        role: string | null;
                        /** @description Scopes of the key. */
                        scopes: string[];
                        /** @description Caller types that the key may use; the first is the default. */
                        caller_types: string[];
                        /**
                         * Format: uuid
                         * @description User who created it.
                         */
                        created_by: string | null;
                        /** @description Name of the user who created it. */
                        created_by_name: string | null;
                        /**
                         * @description User IDs of the people whose permissions limit the key: those who saw its secret. Empty for a key that was
                         *     created on the command line.
                         */
                        minters: string[];
                        /** @description Names of these people, in the same order; null for one without a name. */
                        minter_names: (string | null)[];
                        /**
                         * Format: uuid
                         * @description Key that created this key. Revoking it revokes this key too.
                         */
                        parent: string | null;
                        /** @description Name of that key. */
                        parent_name: string | null;
                        /**
                         * @description Highest role of the key now: the role of an agent's key, or the role of a service key for calls that act for
                         *     no member. Null if the key has no permissions.
                         */
                        role_now: ("viewer" | "member" | "editor" | "admin" | "owner") | null;
                        /** @description Scopes that have no effect now, each with the reason. */
                        limited_by: string[];
                        /**
                         * Format: date-time
                         * @description Time of creation.
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description Time of expiry.
                         */
                        expires_at: string | null;
                        /**
                         * Format: date-time
                         * @description Time at which the secret from before the adoption expires or expired.
                         */
                        old_until: string | null;
                        /**
                         * Format: date-time
                         * @description Time of revocation.
                         */
                        revoked_at: string | null;
                        /**
                         * Format: date-time
                         * @description Time of the last use, to the minute.
                         */
                        last_used_at: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    settings_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Which calls a person must confirm. `standard`: Destructive actions, and writes that say so, are confirmed; `confirm_writes`: Every write is confirmed; `read_only`: Writes are refused.
                         * @enum {string}
                         */
                        approval_mode: "standard" | "confirm_writes" | "read_only";
                        /** @description Whether the approver must be another person than the requester. */
                        four_eyes: boolean;
                        /** @description Whether agents of admins keep the role `admin`; otherwise they have at most `editor`. */
                        agents_inherit_admin: boolean;
                        /**
                         * @description Who carries out heartbeats, scheduled tasks, playbooks and missions: programs that read their events (`external`), or the
                         *     assistant (`internal`).
                         * @enum {string}
                         */
                        runner: "external" | "internal";
                        /**
                         * @description URL template of the page on which a person decides, with `{id}` for the confirmation; null for the page of
                         *     this service.
                         */
                        approve_url_template: string | null;
                        /** @description Calls per minute. */
                        limits: {
                            /** @description Writes and destructive actions together. */
                            write_per_minute: number;
                            /** @description Reads. */
                            read_per_minute: number;
                            /** @description Actions that call a connector. */
                            external_per_minute: number;
                            /** @description Tools that the caller runs. */
                            client_per_minute: number;
                            /** @description Percentage of the write limit that one person may use while another person is active. */
                            write_share_percent: number;
                        };
                        /** @description Maximum number of open confirmations; beyond it calls fail with 429 `too_many_pending`. */
                        open_confirmations: {
                            /** @description Maximum for the workspace. */
                            per_workspace: number;
                            /** @description Maximum for one caller. */
                            per_caller: number;
                        };
                        /** @description Default model of agents. */
                        default_model: string | null;
                        /** @description What the assistant may cost. */
                        assistant_budget: {
                            /** @description One run. */
                            run_microusd: number | null;
                            /** @description All runs in 24 hours. */
                            day_microusd: number | null;
                            /** @description Those of these with no person beside them. */
                            background_microusd: number | null;
                        };
                        /** @description Version of the settings: the value of `ETag` and of `If-Match`. */
                        version: string;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    settings_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
                /** @description The `ETag` that was read; another version now is refused. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Which calls a person must confirm. Only an owner can choose a weaker mode. `standard`: Destructive actions, and writes that say so, are confirmed; `confirm_writes`: Every write is confirmed; `read_only`: Writes are refused.
                     * @enum {string}
                     */
                    approval_mode?: "standard" | "confirm_writes" | "read_only";
                    /** @description Whether the approver must be another person than the requester. Only an owner can switch it off. */
                    four_eyes?: boolean;
                    /** @description Whether agents of admins keep the role `admin`. Only an owner can switch it on. */
                    agents_inherit_admin?: boolean;
                    /**
                     * @description Who carries out heartbeats, scheduled tasks, playbooks and missions: programs that read their events, or the assistant, as
                     *     whoever set them up. With `internal`, a person confirms each call that sets up such work. `external`: Programs that read the events of what is due; `internal`: The assistant of this service, as whoever set the work up.
                     * @enum {string}
                     */
                    runner?: "external" | "internal";
                    /** @description URL template on an allowed host, with `{id}` for the confirmation; null for the page of this service. */
                    approve_url_template?: string | null;
                    /** @description Rate limits, in calls per minute. Only a system admin can change them. */
                    limits?: {
                        /** @description Calls of write and destructive actions per minute. */
                        write_per_minute?: number;
                        /** @description Reads. */
                        read_per_minute?: number;
                        /** @description Calls of external actions per minute. */
                        external_per_minute?: number;
                        /** @description Calls of tools that the caller runs, per minute. */
                        client_per_minute?: number;
                        /** @description Percentage of the write limit that one person may use while another person is active; 1 to 100. */
                        write_share_percent?: number;
                    };
                    /** @description Maximum number of open confirmations. */
                    open_confirmations?: {
                        /** @description Maximum for the workspace. */
                        per_workspace?: number;
                        /** @description Maximum for one caller. Those of their runs of the assistant count apart. */
                        per_caller?: number;
                    };
                    /** @description Default model of agents. */
                    default_model?: string;
                    /** @description What the assistant may cost. */
                    assistant_budget?: {
                        /** @description One run. */
                        run_microusd?: number | null;
                        /** @description All runs in 24 hours. */
                        day_microusd?: number | null;
                        /** @description Those of these with no person beside them. */
                        background_microusd?: number | null;
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Which calls a person must confirm. `standard`: Destructive actions, and writes that say so, are confirmed; `confirm_writes`: Every write is confirmed; `read_only`: Writes are refused.
                         * @enum {string}
                         */
                        approval_mode: "standard" | "confirm_writes" | "read_only";
                        /** @description Whether the approver must be another person than the requester. */
                        four_eyes: boolean;
                        /** @description Whether agents of admins keep the role `admin`; otherwise they have at most `editor`. */
                        agents_inherit_admin: boolean;
                        /**
                         * @description Who carries out heartbeats, scheduled tasks, playbooks and missions: programs that read their events (`external`), or the
                         *     assistant (`internal`).
                         * @enum {string}
                         */
                        runner: "external" | "internal";
                        /**
                         * @description URL template of the page on which a person decides, with `{id}` for the confirmation; null for the page of
                         *     this service.
                         */
                        approve_url_template: string | null;
                        /** @description Calls per minute. */
                        limits: {
                            /** @description Writes and destructive actions together. */
                            write_per_minute: number;
                            /** @description Reads. */
                            read_per_minute: number;
                            /** @description Actions that call a connector. */
                            external_per_minute: number;
                            /** @description Tools that the caller runs. */
                            client_per_minute: number;
                            /** @description Percentage of the write limit that one person may use while another person is active. */
                            write_share_percent: number;
                        };
                        /** @description Maximum number of open confirmations; beyond it calls fail with 429 `too_many_pending`. */
                        open_confirmations: {
                            /** @description Maximum for the workspace. */
                            per_workspace: number;
                            /** @description Maximum for one caller. */
                            per_caller: number;
                        };
                        /** @description Default model of agents. */
                        default_model: string | null;
                        /** @description What the assistant may cost. */
                        assistant_budget: {
                            /** @description One run. */
                            run_microusd: number | null;
                            /** @description All runs in 24 hours. */
                            day_microusd: number | null;
                            /** @description Those of these with no person beside them. */
                            background_microusd: number | null;
                        };
                        /** @description Version of the settings: the value of `ETag` and of `If-Match`. */
                        version: string;
                        /** @description Whether anything changed. */
                        changed: boolean;
                        /** @description Names of the settings that changed. */
                        changed_fields: string[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            412: components["responses"]["Problem412"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    packs_list: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The packs, in the order of the build. */
                        items: {
                            /** @description Prefix of the names of its actions, and resource of their permissions. */
                            slug: string;
                            /** @description Title for people. */
                            title: string;
                            /** @description What the pack is for. */
                            description: string;
                            /** @description Whether the pack is on in this workspace. */
                            enabled: boolean;
                            /** @description Whether the operator lets workspaces switch it on. */
                            offered: boolean;
                            /** @description Number of actions. */
                            actions: number;
                            /**
                             * @description About how many tokens the pack adds to a tool list when it is on: to the list `full` that `GET /v1/tools` answers an admin
                             *     of the caller type `api`, with what the workspace promotes for it.
                             */
                            tokens: number;
                            /** @description Settings of the workspace, with the defaults of those that it left out; null if the pack has none. */
                            settings: unknown;
                            /** @description JSON Schema of the settings; null if the pack has none. */
                            settings_schema: unknown;
                            /** @description Services that the actions ask: upstreams of the workspace. */
                            upstreams: {
                                /** @description Name of the upstream. */
                                name: string;
                                /** @description What the pack asks it for. */
                                purpose: string;
                                /** @description Usual address; null for a server of one's own. */
                                base_url: string | null;
                                /** @description Header in which the secret is sent; null for a bearer token. */
                                auth_header: string | null;
                                /** @description Whether the workspace has the upstream and its secret. The service itself was not asked. */
                                set: boolean;
                            }[];
                            /** @description Version of switch and settings: the value of `ETag` and of `If-Match`. */
                            version: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    promotions_list: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Caller types and agents that differ from the default. */
                        items: {
                            /** @description Caller type or name of the agent. */
                            caller: string;
                            /**
                             * @description Kind of the target. `caller_type`: All callers of this type; `agent`: One agent, with any caller type.
                             * @enum {string}
                             */
                            whose: "caller_type" | "agent";
                            /**
                             * Format: uuid
                             * @description ID of the agent; absent for a caller type.
                             */
                            agent_id?: string | null;
                            /** @description Promoted actions, in the order of the catalogue. */
                            actions: string[];
                            /** @description The built-in default. */
                            built_in: boolean;
                        }[];
                        /** @description Promoted actions of everybody else, in the order of the catalogue. */
                        usual: string[];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    notifications_list: {
        parameters: {
            query?: {
                /** @description `true`: only those that you have not read and that have not ended; `false`: only the others. */
                unread?: boolean;
                /** @description Maximum number of rows. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of this page. */
                        items: {
                            /**
                             * Format: uuid
                             * @description ID.
                             */
                            id: string;
                            /**
                             * @description What it is about. `action`: Somebody made a call that admins are notified of; `confirmation_required`: A call waits for a decision that you may make; `confirmation_expired`: Your call was not decided in time; `assistant_run`: A background run of the assistant ended or failed; `work_ended`: Work in the background ended, because whoever set it up may not do it any more; `keys_weakened`: Keys lost rights, because a member was changed or removed; `webhook_gone`: A webhook was disabled, because its receiver wants no more messages; `upstream_drifted`: An MCP server changed tools that were accepted; `effect_unrecorded`: The outcome of a pack's call could not be recorded in the pack; `media_added`: A film or a series was added, by the pack `media`.
                             * @enum {string}
                             */
                            kind: "action" | "confirmation_required" | "confirmation_expired" | "assistant_run" | "work_ended" | "keys_weakened" | "webhook_gone" | "upstream_drifted" | "effect_unrecorded" | "media_added";
                            /** @description Recipients: `admins` or `user`. */
                            audience: string;
                            /** @description Title, one line of plain text. */
                            title: string;
                            /** @description Text of the notification, plain text. */
                            body: string;
                            /**
                             * @description Data for programs, by kind. Of a call: `action`, `description`, `target`, `who`, `user_id`, `confirmation_id`,
                             *     `summary`, `expires_at`, `approve_url`.
                             */
                            data: {
                                [key: string]: unknown;
                            };
                            /**
                             * Format: uuid
                             * @description `call_id` of the call in the audit log.
                             */
                            call_id: string | null;
                            /**
                             * Format: date-time
                             * @description Time of creation.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description Time at which you read it.
                             */
                            read_at: string | null;
                            /** @description Whether the confirmation that it asks for has ended: nothing is left to do. */
                            ended: boolean;
                        }[];
                        /** @description Value of `cursor` for the next page; null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    webhooks_list: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of this page. */
                        items: {
                            /**
                             * Format: uuid
                             * @description ID.
                             */
                            id: string;
                            /** @description What is sent: `standard` signed events, or messages to people by `slack`, `telegram` or `twilio`. */
                            format: string;
                            /** @description URL to which events are delivered. For messages to people the base address of the service. */
                            url: string;
                            /** @description Who receives the messages; null if the URL says it all. */
                            receiver: {
                                /** @description For `telegram`: id of the chat, or `@name` of a channel. */
                                chat_id?: string | null;
                                /** @description For `twilio`: SID of the account. */
                                account_sid?: string | null;
                                /** @description For `twilio`: number or name of the sender. */
                                from?: string | null;
                                /** @description For `twilio`: number that receives the messages. */
                                to?: string | null;
                            } | null;
                            /** @description Events to deliver: names, `agent.*` for all events of a resource, or `*` for all. */
                            types: string[];
                            /** @description Whether events are delivered. */
                            enabled: boolean;
                            /**
                             * Format: date-time
                             * @description Time until which deliveries are also signed with the previous secret.
                             */
                            previous_secret_until: string | null;
                            /**
                             * Format: uuid
                             * @description User who created it.
                             */
                            created_by: string | null;
                            /**
                             * Format: date-time
                             * @description Time of creation.
                             */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description Time of the last change.
                             */
                            updated_at: string;
                        }[];
                        /** @description Value of `cursor` for the next page; null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    webhooks_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The workspace: its ID here or at the identity provider. Required if the credential names none. */
                "X-Workspace-Id"?: components["parameters"]["WorkspaceId"];
                /** @description The caller type of this call: one of those that the credential allows. */
                "X-Caller-Type"?: components["parameters"]["CallerType"];
                /** @description The conversation. */
                "X-Session-Id"?: components["parameters"]["SessionId"];
                /** @description The mission that this call belongs to. */
                "X-Mission-Id"?: components["parameters"]["MissionId"];
                /** @description The member for whom a service key with the scope `act_as` acts: a user ID or a `sub`. */
                "X-On-Behalf-Of"?: components["parameters"]["OnBehalfOf"];
                /** @description Makes a write safe to repeat for 24 hours: 1 to 200 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Comes back in the answer. One is made where it is missing, longer than 128 characters, or holds others than letters, digits and `-_.:`. */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/toolcrib",
                 *       "types": [
                 *         "awaiting_permission",
                 *         "agent.*"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What is sent. Default: `standard`. `standard`: Signed events, as Standard Webhooks specifies; `slack`: Messages to an incoming webhook of Slack, Mattermost, or Discord (its URL with `/slack`); `telegram`: Messages of a Telegram bot; `twilio`: Text messages by Twilio.
                     * @enum {string}
                     */
                    format?: "standard" | "slack" | "telegram" | "twilio";
                    /**
                     * @description URL to which events are delivered: a public `https` address. For `telegram` and `twilio` the base address of the
                     *     service, which has a default. Not for `slack`.
                     */
                    url?: string;
                    /** @description Who receives the messages of `telegram` and `twilio`. */
                    receiver?: {
                        /** @description For `telegram`: id of the chat, or `@name` of a channel. */
                        chat_id?: string;
                        /** @description For `twilio`: SID of the account. */
                        account_sid?: string;
                        /** @description For `twilio`: number or name of the sender. */
                        from?: string;
                        /** @description For `twilio`: number that receives the messages. */
                        to?: string;
                    };
                    /**
                     * @description Secret of the service: for `slack` the URL of the incoming webhook, for `telegram` the token of the bot, for `twilio`
                     *     the token of the account. Stored encrypted and never shown.
                     */
                    secret?: string;
                    /**
                     * @description Events to deliver: names such as `agent.created` or `awaiting_permission`, `agent.*` for all events of a
                     *     resource, or `*` for all. Messages to people are `notification.created` and `awaiting_permission`.
                     */
                    types: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Secret that verifies events, `whsec_…`. Shown only once. Null for messages to people, which have no signature. Null in a replay. */
                        secret: string | null;
                        /**
                         * Format: uuid
                         * @description ID.
                         */
                        id: string;
                        /** @description What is sent: `standard` signed events, or messages to people by `slack`, `telegram` or `twilio`. */
                        format: string;
                        /** @description URL to which events are delivered. For messages to people the base address of the service. */
                        url: string;
                        /** @description Who receives the messages; null if the URL says it all. */
                        receiver: {
                            /** @description For `telegram`: id of the chat, or `@name` of a channel. */
                            chat_id?: string | null;
                            /** @description For `twilio`: SID of the account. */
                            account_sid?: string | null;
                            /** @description For `twilio`: number or name of the sender. */
                            from?: string | null;
                            /** @description For `twilio`: number that receives the messages. */
                            to?: string | null;
                        } | null;
                        /** @description Events to deliver: names, `agent.*` for all events of a resource, or `*` for all. */
                        types: string[];
                        /** @description Whether events are delivered. */
                        enabled: boolean;
                        /**
                         * Format: date-time
                         * @description Time until which deliveries are also signed with the previous secret.
                         */
                        previous_secret_until: string | null;
                        /**
                         * Format: uuid
                         * @description User who created it.
                         */
                        created_by: string | null;
                        /**
                         * Format: date-time
                         * @description Time of creation.
                         */
                        created_at: string;
                        /**
                         * Format: date-time
                         * @description Time of the last change.
                         */
                        updated_at: string;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
}
