-- The items that a ZIP file was asked for, found by its address for an hour.

CREATE TABLE prepared_downloads (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  media_ids TEXT NOT NULL,
  created_at TIME NOT NULL
);
CREATE INDEX prepared_downloads_by_owner ON prepared_downloads (owner_id, created_at);
