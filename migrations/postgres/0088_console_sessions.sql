-- Who is signed in to the console. `id_hash` is the SHA-256 of the secret in the cookie. A row is a user's credential and
-- belongs to no workspace; `workspace` is the workspace claim of the token that signed in, if it had one.
CREATE TABLE sessions (
  id_hash BYTEA NOT NULL PRIMARY KEY,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  workspace TEXT,
  name TEXT,
  system_admin BOOLEAN NOT NULL,
  way TEXT NOT NULL CHECK (way IN ('token', 'link', 'oidc')),
  created_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL,
  ends_at BIGINT NOT NULL
);
CREATE INDEX sessions_of_user ON sessions (issuer, subject);
CREATE INDEX sessions_by_end ON sessions (ends_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions TO toolcrib_app;
GRANT SELECT, DELETE ON sessions TO toolcrib_worker;

-- One-time codes that were used, until they expire.
CREATE TABLE used_login_codes (
  jti TEXT NOT NULL PRIMARY KEY,
  expires_at BIGINT NOT NULL
);
GRANT SELECT, INSERT ON used_login_codes TO toolcrib_app;
GRANT SELECT, DELETE ON used_login_codes TO toolcrib_worker;
