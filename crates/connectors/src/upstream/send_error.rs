//! Why a request to an upstream has no answer.

use std::{error::Error, io};

use crate::address_guard::is_refused_address;

/// Why a request to an upstream has no answer. `Display` is a sentence that names neither a secret nor an
/// address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The request can't be sent as it is.
    #[error("the request can't be sent: {0}")]
    Request(&'static str),
    /// Too many requests are open. The text says where.
    #[error("{0}")]
    Busy(&'static str),
    /// The address may not be called.
    #[error("the upstream's address is refused: it {0}")]
    AddressRefused(&'static str),
    /// There was no connection, so that nothing was sent.
    #[error("there is no connection to the upstream: {0}")]
    NotConnected(&'static str),
    /// The upstream's certificate is not valid, so that nothing was sent.
    #[error("the upstream's certificate is not valid for its address")]
    Certificate,
    /// The upstream answered with a redirect, which is not followed.
    #[error("the upstream answered with a redirect (status {0}), which is not followed")]
    Redirect(u16),
    /// The upstream answered with 304, which has no content.
    #[error(
        "the upstream answered with status 304: nothing changed since the version that the request names"
    )]
    NotModified,
    /// The response was not complete in time.
    #[error("the upstream did not answer in time")]
    TimedOut,
    /// The connection ended before the response was complete, or the response is not HTTP.
    #[error("the upstream's response is broken or not complete")]
    Broken,
}

impl SendError {
    /// Makes the error of a 3xx. Of these, 304 leads nowhere.
    pub(super) const fn of_redirection(status: u16) -> Self {
        if status == 304 { Self::NotModified } else { Self::Redirect(status) }
    }

    /// Returns whether the upstream may have processed the request. Otherwise it was not sent, or it was
    /// refused. Of the redirects, 307 and 308 alone say that the request must be sent again as it is.
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::TimedOut | Self::Broken | Self::NotModified => true,
            Self::Redirect(status) => !matches!(status, 307 | 308),
            Self::Request(_)
            | Self::Busy(_)
            | Self::AddressRefused(_)
            | Self::NotConnected(_)
            | Self::Certificate => false,
        }
    }

    /// Returns whether nothing of the request was sent, surely.
    pub fn is_unsent(&self) -> bool {
        !self.is_unknown() && !matches!(self, Self::Redirect(_))
    }

    /// Returns whether the same request fails until somebody changes something.
    pub const fn is_permanent(&self) -> bool {
        match self {
            Self::Request(_)
            | Self::AddressRefused(_)
            | Self::Certificate
            | Self::Redirect(_)
            | Self::NotModified => true,
            Self::Busy(_) | Self::NotConnected(_) | Self::TimedOut | Self::Broken => false,
        }
    }

    /// Returns what to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Request(_) => "an admin corrects the upstream's address, or sets its secret again",
            Self::Busy(_) => "make the call again in a moment",
            Self::AddressRefused(_) => {
                "an admin corrects the upstream's address, or the operator allows its host with the setting \
                 `upstream_hosts`"
            }
            Self::NotConnected(_) => {
                "an admin checks that the service runs, and that the upstream has its address"
            }
            Self::Certificate => "an admin corrects the upstream's address, or its operator the certificate",
            Self::Redirect(_) => {
                "an admin corrects the upstream's address: it lacks a part at its end, or leads to a login page"
            }
            Self::NotModified => {
                "an admin removes the header from the tool that asks for changes only, such as `If-None-Match`"
            }
            Self::TimedOut | Self::Broken => {
                "make the call again later; if it fails again, an admin checks that the service runs"
            }
        }
    }
}

/// An error is `NotConnected` only where it is certain that there was no connection.
impl From<reqwest::Error> for SendError {
    fn from(error: reqwest::Error) -> Self {
        if is_refused_address(&error) {
            return Self::AddressRefused("must be a public address");
        }
        if !error.is_connect() {
            return match error {
                _ if error.is_builder() => Self::Request("its URL or a header is not valid"),
                _ if error.is_timeout() => Self::TimedOut,
                _ => Self::Broken,
            };
        }
        if has_cause(&error, &|cause| cause.to_string().starts_with("invalid peer certificate")) {
            return Self::Certificate;
        }
        Self::NotConnected(reason(&error))
    }
}

/// The reason why there is no connection.
fn reason(error: &reqwest::Error) -> &'static str {
    let is = |kind| {
        has_cause(error, &|cause| cause.downcast_ref().is_some_and(|cause: &io::Error| cause.kind() == kind))
    };
    if error.is_timeout() {
        "connecting took more than 3 seconds"
    } else if error.is_dns() {
        "its host name was not found"
    } else if is(io::ErrorKind::ConnectionRefused) {
        "it refused the connection"
    } else if is(io::ErrorKind::InvalidData) || is(io::ErrorKind::UnexpectedEof) {
        "the TLS handshake failed"
    } else {
        "it can't be reached"
    }
}

/// Returns whether the error or one of its causes passes the test. The source of an [`io::Error`] leaves out
/// the error that it wraps.
fn has_cause(error: &(dyn Error + 'static), test: &impl Fn(&(dyn Error + 'static)) -> bool) -> bool {
    if test(error) {
        return true;
    }
    let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    let wrapped: Option<&(dyn Error + 'static)> = wrapped.map(|inner| inner as _);
    wrapped.or_else(|| error.source()).is_some_and(|cause| has_cause(cause, test))
}
