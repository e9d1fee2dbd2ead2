//! Settings for the keys of this service, and for the signed heads of the audit log.

use super::{Setting, SettingKind, setting};

pub(super) const SETTINGS: [Setting; 4] = [
    setting(
        "secret_key",
        "BASE64",
        SettingKind::Secret,
        None,
        "32 bytes that encrypt stored secrets, the same for every replica; better as a variable than as a flag \
         [default: secret.key in the data directory, made when it is first needed]",
    ),
    setting(
        "audit_key",
        "BASE64",
        SettingKind::Secret,
        None,
        "32 bytes that sign how far the audit log reached, the same for every replica; better as a variable than as a \
         flag [default: audit.pem in the data directory, made when it is first needed]",
    ),
    setting(
        "audit_public_keys",
        "BASE64,…",
        SettingKind::List,
        None,
        "More public keys whose signatures of the audit log are accepted, such as that of an earlier audit key",
    ),
    setting(
        "audit_anchor",
        "FILE|URL",
        SettingKind::Url,
        None,
        "Where the signed heads of audit logs that grew are kept every minute: a file they are appended to, or an https:// \
         address they are posted to; best one that this machine can't change later",
    ),
];
