//! Stored answers by idempotency key.
