//! Confirmations as they are stored.
