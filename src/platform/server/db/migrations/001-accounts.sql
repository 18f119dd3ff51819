-- Accounts, sessions, settings and the limits on attempts.
-- ID, TIME, LONG, DOUBLE and BYTES are translated by each dialect (see migrate.ts). TIME is milliseconds since 1970, flags are 0 or 1.

CREATE TABLE settings (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE users (
  id ID,
  username TEXT NOT NULL,
  username_key TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  is_admin INTEGER NOT NULL DEFAULT 0,
  -- What the interface remembers, as JSON.
  preferences TEXT NOT NULL DEFAULT '{}',
  -- Kept by triggers (010). The trash counts in storage_used and media_count, not in the counts by kind. Bytes that several
  -- items share count once in storage_used.
  storage_used LONG NOT NULL DEFAULT 0,
  media_count LONG NOT NULL DEFAULT 0,
  trashed_count LONG NOT NULL DEFAULT 0,
  image_count LONG NOT NULL DEFAULT 0,
  video_count LONG NOT NULL DEFAULT 0,
  favorite_count LONG NOT NULL DEFAULT 0,
  collection_count LONG NOT NULL DEFAULT 0,
  created_at TIME NOT NULL
);

CREATE TABLE sessions (
  token_hash TEXT NOT NULL PRIMARY KEY,
  user_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at TIME NOT NULL,
  expires_at TIME NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE attempts (
  name TEXT NOT NULL PRIMARY KEY,
  count INTEGER NOT NULL,
  resets_at TIME NOT NULL
);
CREATE INDEX attempts_by_reset ON attempts (resets_at);
