-- Changes to many items, so that they can be undone, and what ZIP files were asked for.

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

-- The items that a ZIP file was asked for, found by its address for an hour.
CREATE TABLE prepared_downloads (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  media_ids TEXT NOT NULL,
  created_at TIME NOT NULL
);
CREATE INDEX prepared_downloads_by_owner ON prepared_downloads (owner_id, created_at);
