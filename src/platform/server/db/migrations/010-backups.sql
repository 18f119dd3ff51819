-- Backups that lie in the backup folder (which is the truth; these rows make it quick to look at), and restores.

CREATE TABLE backups (
  id TEXT NOT NULL PRIMARY KEY,
  -- automatic or manual
  type TEXT NOT NULL,
  -- The turn that an automatic one was made for: two can never be made for the same.
  slot TEXT UNIQUE,
  note TEXT,
  created_at TIME NOT NULL,
  -- What it holds, and what of that no earlier backup held.
  size LONG NOT NULL,
  new_bytes LONG NOT NULL,
  user_count LONG NOT NULL,
  media_count LONG NOT NULL,
  collection_count LONG NOT NULL,
  -- Files that were damaged or gone already when the backup was made.
  missing_count LONG NOT NULL DEFAULT 0,
  verified_at TIME NOT NULL,
  proven_at TIME
);

CREATE TABLE restores (
  id ID,
  -- "yes" while it goes on, and only one can go on at a time.
  running TEXT UNIQUE,
  backup_id TEXT NOT NULL,
  -- Who asked: no reference, since all accounts are about to be replaced.
  admin_id LONG NOT NULL,
  skips_safety INTEGER NOT NULL,
  -- running, switched, complete or failed
  state TEXT NOT NULL,
  step TEXT NOT NULL,
  progress INTEGER NOT NULL,
  message TEXT NOT NULL,
  counts TEXT,
  started_at TIME NOT NULL,
  updated_at TIME NOT NULL
);
