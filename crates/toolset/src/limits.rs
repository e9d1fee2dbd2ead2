//! The limits of a document.

/// The maximum size of a document, in bytes.
pub const MAX_DOCUMENT_BYTES: usize = 2 << 20;
/// The maximum number of defects that a check returns.
pub const MAX_DEFECTS: usize = 100;
/// The maximum number of promoted tools of a toolset.
pub const MAX_PROMOTED: usize = 16;
/// The maximum length of a full name `<slug>__<name>`, in characters.
pub const MAX_FULL_NAME: usize = 64;

/// The maximum length of a title, in characters.
pub const MAX_TITLE: usize = 80;
/// The maximum size of a normalised schema, in bytes.
pub(crate) const MAX_SCHEMA_BYTES: usize = 32 << 10;
/// The maximum number of properties in a schema, at all depths together.
pub const MAX_PROPERTIES: usize = 200;
/// The maximum depth of a schema. Its root has depth 1.
pub const MAX_SCHEMA_DEPTH: usize = 8;
/// The maximum number of values of an enum.
pub const MAX_ENUM: usize = 250;
/// The maximum number of patterns in a schema.
pub const MAX_PATTERNS: usize = 20;
/// The maximum size of a compiled pattern, in bytes. Bounds the time in which a document is checked.
pub const MAX_PATTERN_BYTES: usize = 512 << 10;
/// The maximum length of the description of a parameter, in characters.
pub const MAX_PARAMETER_TEXT: usize = 320;
/// The maximum length of a string whose schema does not say otherwise, in characters.
pub(crate) const DEFAULT_MAX_LENGTH: u64 = 8_192;
/// The maximum number of items of a list whose schema does not say otherwise.
pub(crate) const DEFAULT_MAX_ITEMS: u64 = 100;
/// The maximum length of an upstream's secret, in bytes.
pub(crate) const MAX_SECRET: usize = 4_096;
/// The maximum length of a header's value, in bytes.
pub(crate) const MAX_HEADER_VALUE: usize = 1_024;

/// The time limit of a call that does not say otherwise, in seconds.
pub(crate) const DEFAULT_TIMEOUT_SECONDS: u32 = 10;
/// The time in which a client-run call must be claimed, unless the tool says otherwise, in seconds.
pub(crate) const DEFAULT_CLAIM_SECONDS: u32 = 120;
/// The time in which a claimed call must end, unless the tool says otherwise, in seconds.
pub(crate) const DEFAULT_RUN_SECONDS: u32 = 600;
/// The maximum length of the URL of a request, in bytes.
pub(crate) const MAX_URL_BYTES: usize = 16 << 10;
/// The maximum size of the arguments in a request, in bytes. An argument counts each time it stands there.
pub(crate) const MAX_ARGUMENT_BYTES: usize = 2 << 20;
/// The maximum size of a response that does not say otherwise, in bytes.
pub(crate) const DEFAULT_RESPONSE_BYTES: usize = 1 << 20;
/// The maximum number of values in a response: texts, numbers, lists and objects at all depths. Bounds the
/// memory for a response of many small values.
pub const MAX_RESPONSE_VALUES: usize = 250_000;
/// The maximum size of the texts and keys in a result, in bytes. Fields that overlap could multiply a response.
pub const MAX_RESULT_BYTES: usize = 16 << 20;
/// The maximum size of the `default` of a response, in bytes of JSON.
pub(crate) const MAX_RESULT_DEFAULT: usize = 1_024;
/// The maximum number of items of a result's list, unless the mapping says otherwise.
pub(crate) const DEFAULT_RESULT_ITEMS: usize = 100;
/// The maximum length of a result's text, unless the mapping says otherwise, in characters.
pub(crate) const DEFAULT_RESULT_TEXT: usize = 8_192;
