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
         *     Level `read`, permission `workspace:read`.
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
            code: "malformed_request" | "workspace_required" | "unauthenticated" | "permission_denied" | "workspace_mismatch" | "insufficient_scope" | "unknown_action" | "not_found" | "method_not_allowed" | "conflict" | "already_decided" | "in_progress" | "immutable" | "cycle_detected" | "precondition_failed" | "expired" | "void" | "payload_too_large" | "unsupported_media_type" | "invalid_arguments" | "phrase_mismatch" | "idempotency_mismatch" | "rate_limited" | "too_many_pending" | "internal" | "connector_not_configured" | "upstream_error" | "authorization_unavailable" | "audit_unavailable" | "limiter_unavailable" | "store_unavailable" | "outcome_unknown" | "overloaded" | "timeout";
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
                /**
                 * Format: uuid
                 * @description Member on whose behalf the call was made.
                 */
                user_id: string | null;
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
            tool_format: string | null;
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
                /**
                 * Format: uuid
                 * @description Service key that relayed the user's decision.
                 */
                relayed_by?: string | null;
                /** @description Arguments before a person changed them. */
                replaced_arguments?: unknown;
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
        /** @description `permission_denied`: The caller has no permission for this action. `workspace_mismatch`: The credential belongs to a workspace other than the one named. `insufficient_scope`: The credential lacks a scope that this action requires. */
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
        /** @description `authorization_unavailable`: The caller's permissions can't be read now; nothing was done. `audit_unavailable`: The audit row can't be written now; nothing was done. `limiter_unavailable`: The rate limiter is unavailable; nothing was done. `store_unavailable`: The database is unavailable; nothing was done. `outcome_unknown`: The connection to the database was lost during the commit: either the call and its audit row are stored, or neither is. Check, or repeat the call with the same `Idempotency-Key`. `overloaded`: The service has reached its limit of connections; nothing was done. */
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
                /** @description Only confirmations with this status. */
                status?: string;
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
                /** @description Seconds to hold the answer while nobody decided. */
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
}
