//! Why a sign-in is refused although the person did nothing wrong: the setting to change, or the invitation.

use crate::claims::TokenRefused;

/// A reason that the sign-in page explains. None of them says anything about a code that does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInProblem {
    /// The invitation was used, has ended, was revoked, or never existed; or whoever made it may not give a role now.
    Invitation,
    /// The invitation is for an e-mail address that the provider does not confirm for this person.
    InvitationEmail,
    /// The provider or its token names another issuer than the settings.
    Issuer,
    /// The token is signed by no key of the settings' URL.
    JwksUrl,
    /// The token is for another audience than that of the API.
    Audience,
    /// The ID token is for another client than that of the settings.
    ClientId,
    /// The provider does not accept the client's credential.
    ClientSecret,
    /// The provider does not know the address that it sends browsers back to, or the client.
    RedirectUri,
    /// The clocks of provider and service differ by more than the settings allow.
    Clock,
}

impl SignInProblem {
    /// Returns the word in the address of the sign-in page.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::InvitationEmail => "invitation_email",
            Self::Issuer => "issuer",
            Self::JwksUrl => "jwks_url",
            Self::Audience => "audience",
            Self::ClientId => "console_client_id",
            Self::ClientSecret => "console_client_secret",
            Self::RedirectUri => "redirect_uri",
            Self::Clock => "clock",
        }
    }

    /// Returns the sentence for the person.
    pub const fn detail(self) -> &'static str {
        match self {
            Self::Invitation => "this invitation can't be used: it was used, has ended, or was withdrawn",
            Self::InvitationEmail => {
                "this invitation is for another e-mail address than the identity provider confirms for you"
            }
            Self::Issuer => "the identity provider names another issuer than this service expects",
            Self::JwksUrl => "the identity provider's token is signed by no key that this service has",
            Self::Audience => "the token is for another audience than this service expects",
            Self::ClientId => "the identity provider's token is for another client than this service",
            Self::ClientSecret => "the identity provider does not accept the credential of this service",
            Self::RedirectUri => {
                "the identity provider does not know this service, or not the address that it returns to"
            }
            Self::Clock => "the clocks of the identity provider and of this service differ too much",
        }
    }

    /// Returns what to do, with the name of the setting.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Invitation => "ask for a new one; members sign in without it",
            Self::InvitationEmail => {
                "sign in with that address, which the provider must have verified (claim `email_verified`), or ask for \
                 an invitation for yours"
            }
            Self::Issuer => {
                "whoever runs the service: set `issuer` to the `issuer` in the provider's \
                 `/.well-known/openid-configuration`"
            }
            Self::JwksUrl => {
                "whoever runs the service: set `jwks_url` to the `jwks_uri` in the provider's \
                 `/.well-known/openid-configuration`"
            }
            Self::Audience => {
                "whoever runs the service: set `audience` to the `aud` of the provider's access tokens"
            }
            Self::ClientId => {
                "whoever runs the service: set `console_client_id` to the client's id at the provider"
            }
            Self::ClientSecret => {
                "whoever runs the service: set `console_client_secret` to the secret of the client \
                 `console_client_id`"
            }
            Self::RedirectUri => {
                "whoever runs the service: register `<public_url>/console/login/done` as a redirect address of the \
                 client `console_client_id`, or set `public_url` to the registered one"
            }
            Self::Clock => {
                "whoever runs the service: set the clocks of both by NTP, or raise `token_leeway_seconds`"
            }
        }
    }

    /// Returns the problem of a token of the provider, if a setting can mend it. `audience` is the setting for
    /// the token's `aud`.
    pub(crate) const fn of_token(refused: TokenRefused, audience: Self) -> Option<Self> {
        match refused {
            TokenRefused::Issuer => Some(Self::Issuer),
            TokenRefused::Audience(_) => Some(audience),
            TokenRefused::UnknownKey => Some(Self::JwksUrl),
            TokenRefused::Expired | TokenRefused::NotYet | TokenRefused::FromFuture => Some(Self::Clock),
            TokenRefused::Invalid(_) => None,
        }
    }
}
