-- An index of the backup folder, which is the truth, and restores.

CREATE TABLE backups (
  id TEXT NOT NULL PRIMARY KEY,
  -- automatic or manual
  type TEXT NOT NULL,
  -- The scheduled time of an automatic backup: there is at most one for each.
  slot TEXT UNIQUE,
  note TEXT,
  created_at TIME NOT NULL,
  -- Bytes that it holds, and those of them that no earlier backup held.
  size LONG NOT NULL,
  new_bytes LONG NOT NULL,
  user_count LONG NOT NULL,
  media_count LONG NOT NULL,
  collection_count LONG NOT NULL,
  -- Files that were damaged or missing when the backup was made.
  missing_count LONG NOT NULL DEFAULT 0,
  verified_at TIME NOT NULL,
  proven_at TIME
);

CREATE TABLE restores (
  id ID,
  -- "yes" while it runs; UNIQUE allows one at a time.
  running TEXT UNIQUE,
  backup_id TEXT NOT NULL,
  -- No reference, since the restore replaces all accounts.
  admin_id LONG NOT NULL,
  skips_safety INTEGER NOT NULL,
  -- running, complete or failed
  state TEXT NOT NULL,
  step TEXT NOT NULL,
  progress INTEGER NOT NULL,
  message TEXT NOT NULL,
  counts TEXT,
  started_at TIME NOT NULL,
  updated_at TIME NOT NULL
);
