-- Collections, their members, and the views of what is shared.

CREATE TABLE collections (
  id ID,
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT,
  company TEXT,
  is_public INTEGER NOT NULL DEFAULT 0,
  public_slug TEXT UNIQUE,
  branding TEXT,
  -- The allowed part of the branding's custom CSS, rebuilt whenever it is saved or restored. Visitors get only this.
  checked_css TEXT,
  cover_media_id LONG,
  password_hash TEXT,
  share_expires_at TIME,
  allows_download INTEGER NOT NULL DEFAULT 1,
  view_count LONG NOT NULL DEFAULT 0,
  -- Members that are not in the trash.
  media_count LONG NOT NULL DEFAULT 0,
  created_at TIME NOT NULL,
  updated_at TIME NOT NULL
);
CREATE INDEX collections_by_owner ON collections (owner_id, created_at DESC, id DESC);

CREATE TABLE collection_media (
  collection_id LONG NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
  media_id LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  -- Repeated here so that a page of a large collection is read from one index.
  media_created_at TIME NOT NULL,
  position DOUBLE NOT NULL,
  added_at TIME NOT NULL,
  PRIMARY KEY (collection_id, media_id)
);
CREATE INDEX collection_media_by_media ON collection_media (media_id);
CREATE INDEX collection_media_recent ON collection_media (collection_id, media_created_at DESC, media_id DESC);
CREATE INDEX collection_media_ordered ON collection_media (collection_id, position, media_id);

CREATE TABLE share_views (
  kind TEXT NOT NULL,
  target_id LONG NOT NULL,
  day TEXT NOT NULL,
  views LONG NOT NULL DEFAULT 0,
  PRIMARY KEY (kind, target_id, day)
);

-- The visitors of the last hour, as hashes that change every day.
CREATE TABLE share_visitors (
  kind TEXT NOT NULL,
  target_id LONG NOT NULL,
  visitor TEXT NOT NULL,
  seen_until TIME NOT NULL,
  PRIMARY KEY (kind, target_id, visitor)
);
CREATE INDEX share_visitors_by_time ON share_visitors (seen_until);
