-- Media items, the bytes they point to, and their tags.

CREATE TABLE blobs (
  sha256 TEXT NOT NULL PRIMARY KEY,
  bytes LONG NOT NULL,
  created_at TIME NOT NULL,
  -- The last time its bytes were read again and compared, and what was found: ok, damaged or missing.
  checked_at TIME,
  state TEXT NOT NULL DEFAULT 'ok'
);

CREATE TABLE media (
  id ID,
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  filename TEXT NOT NULL,
  -- The name as people sort it: without regard to case and accents, numbers by value.
  name_key TEXT NOT NULL,
  type TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  blob TEXT NOT NULL REFERENCES blobs (sha256),
  size LONG NOT NULL,
  width INTEGER,
  height INTEGER,
  duration DOUBLE,
  is_animated INTEGER NOT NULL DEFAULT 0,
  -- processing, ready or failed
  status TEXT NOT NULL,
  processing_error TEXT,
  -- as-is, pending, rendition or failed: how a browser can play it
  playback TEXT NOT NULL DEFAULT 'as-is',
  -- How a video's strip of key frames is laid out.
  sprite TEXT,
  thumbhash TEXT,
  colours TEXT,
  perceptual_hash TEXT,
  exif TEXT,
  taken_at TEXT,
  user_description TEXT,
  ai_description TEXT,
  -- Who wrote the AI description last: the model's, or a person who edited it.
  ai_description_source TEXT,
  found_text TEXT,
  -- none, waiting, done or failed
  ai_status TEXT NOT NULL DEFAULT 'none',
  ai_error TEXT,
  ai_provider TEXT,
  ai_model TEXT,
  ai_analysed_at TIME,
  is_favorite INTEGER NOT NULL DEFAULT 0,
  is_trashed INTEGER NOT NULL DEFAULT 0,
  trashed_at TIME,
  public_slug TEXT UNIQUE,
  view_count LONG NOT NULL DEFAULT 0,
  -- Where it came from, when it was not uploaded by hand: page address, alt text, context.
  source TEXT,
  created_at TIME NOT NULL,
  updated_at TIME NOT NULL
);
CREATE INDEX media_recent ON media (owner_id, is_trashed, created_at DESC, id DESC);
CREATE INDEX media_by_name ON media (owner_id, is_trashed, name_key, id);
CREATE INDEX media_by_size ON media (owner_id, is_trashed, size DESC, id DESC);
CREATE INDEX media_by_mime ON media (owner_id, is_trashed, mime_type, created_at DESC, id DESC);
CREATE INDEX media_type_recent ON media (owner_id, is_trashed, type, created_at DESC, id DESC);
CREATE INDEX media_type_by_name ON media (owner_id, is_trashed, type, name_key, id);
CREATE INDEX media_type_by_size ON media (owner_id, is_trashed, type, size DESC, id DESC);
CREATE INDEX media_favorites ON media (owner_id, is_trashed, created_at DESC, id DESC) WHERE is_favorite = 1;
CREATE INDEX media_by_blob ON media (blob);
CREATE INDEX media_in_trash ON media (trashed_at) WHERE is_trashed = 1;

CREATE TABLE media_tags (
  media_id LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  owner_id LONG NOT NULL,
  position INTEGER NOT NULL,
  -- ai or person
  source TEXT NOT NULL,
  score DOUBLE,
  PRIMARY KEY (media_id, tag)
);
CREATE INDEX media_tags_by_tag ON media_tags (owner_id, tag);

-- Tags that a person took off a picture: never suggested for it again.
CREATE TABLE removed_tags (
  media_id LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (media_id, tag)
);

-- Public addresses of media and collections. A renamed one stays and leads to the new one.
CREATE TABLE slugs (
  kind TEXT NOT NULL,
  slug TEXT NOT NULL,
  target_id LONG NOT NULL,
  PRIMARY KEY (kind, slug)
);
CREATE INDEX slugs_by_target ON slugs (kind, target_id);
