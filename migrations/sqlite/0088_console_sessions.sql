-- Who is signed in to the console. `id_hash` is the SHA-256 of the secret in the cookie. A row is a user's credential and
-- belongs to no workspace; `workspace` is the workspace claim of the token that signed in, if it had one.
CREATE TABLE sessions (
  id_hash BLOB NOT NULL PRIMARY KEY,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  workspace TEXT,
  name TEXT,
  system_admin INTEGER NOT NULL,
  way TEXT NOT NULL CHECK (way IN ('token', 'link', 'oidc')),
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_user ON sessions (issuer, subject);
CREATE INDEX sessions_by_end ON sessions (ends_at);

-- One-time codes that were used, until they expire.
CREATE TABLE used_login_codes (
  jti TEXT NOT NULL PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
