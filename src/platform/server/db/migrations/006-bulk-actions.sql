-- Changes to many items: their history for undo, and long runs that survive a crash.

CREATE TABLE changes (
  id ID,
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- rename, tags, description or membership
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  item_count INTEGER NOT NULL,
  created_at TIME NOT NULL,
  undone_at TIME
);
CREATE INDEX changes_by_owner ON changes (owner_id, created_at DESC, id DESC);
CREATE INDEX changes_by_time ON changes (created_at);

CREATE TABLE change_items (
  change_id LONG NOT NULL REFERENCES changes (id) ON DELETE CASCADE,
  media_id LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  before_value TEXT,
  after_value TEXT,
  PRIMARY KEY (change_id, media_id)
);
CREATE INDEX change_items_by_media ON change_items (media_id);

CREATE TABLE bulk_runs (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  media_ids TEXT NOT NULL,
  options TEXT NOT NULL,
  -- How many of the ids are processed, and the result so far.
  position INTEGER NOT NULL DEFAULT 0,
  outcome TEXT NOT NULL,
  -- running, done or cancelled
  status TEXT NOT NULL,
  created_at TIME NOT NULL,
  updated_at TIME NOT NULL
);
CREATE INDEX bulk_runs_by_owner ON bulk_runs (owner_id, status);
CREATE INDEX bulk_runs_by_time ON bulk_runs (updated_at);
