-- Media items, the bytes they point to, and their tags.

CREATE TABLE blobs (
  sha256 TEXT NOT NULL PRIMARY KEY,
  bytes LONG NOT NULL,
  created_at TIME NOT NULL,
  -- When its bytes were last read and compared with the hash, and the result: ok, damaged or missing.
  checked_at TIME,
  state TEXT NOT NULL DEFAULT 'ok',
  -- The checksum that a ZIP file states for each entry; known once a backup has read the bytes.
  crc32 LONG
);
-- Nearly always empty: every list asks whether any file is lost.
CREATE INDEX blobs_lost ON blobs (sha256) WHERE state <> 'ok';

-- Blobs that are new or have lost an item, written by triggers (010): the janitor checks only these. Rows are only added
-- and removed, never updated, so no transaction waits for another.
CREATE TABLE loose_blobs (
  id ID,
  sha256 TEXT NOT NULL,
  -- 1: an item or a failed upload gave the bytes up. A new blob may wait for its item for an hour.
  is_released INTEGER NOT NULL
);

-- Bytes that the janitor keeps although no item points to them yet: an upload is storing them, or, with an empty hash, an
-- import or a backup may need any of them. A claim that is an hour old belongs to a process that has ended.
CREATE TABLE blob_claims (
  holder TEXT NOT NULL PRIMARY KEY,
  sha256 TEXT NOT NULL,
  created_at TIME NOT NULL
);
CREATE INDEX blob_claims_by_blob ON blob_claims (sha256);

CREATE TABLE media (
  id ID,
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  filename TEXT NOT NULL,
  -- The sort key of the name: case and accents ignored, numbers by value.
  name_key TEXT NOT NULL,
  type TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  blob TEXT NOT NULL REFERENCES blobs (sha256),
  size LONG NOT NULL,
  width INTEGER,
  height INTEGER,
  duration DOUBLE,
  is_animated INTEGER NOT NULL DEFAULT 0,
  processing_error TEXT,
  -- as-is, pending, rendition or failed: how a browser can play it
  playback TEXT NOT NULL DEFAULT 'as-is',
  -- The layout of a video's strip of key frames.
  sprite TEXT,
  thumbhash TEXT,
  colours TEXT,
  -- What crops keep in view, as parts of width and height from 0 to 1: the point the owner chose, and the one the AI found.
  own_focal_x DOUBLE,
  own_focal_y DOUBLE,
  found_focal_x DOUBLE,
  found_focal_y DOUBLE,
  perceptual_hash TEXT,
  exif TEXT,
  taken_at TEXT,
  user_description TEXT,
  ai_description TEXT,
  -- ai or person: who wrote the AI description last
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
  -- Whether search engines may list its page; null: as its owner's setting says.
  is_indexed INTEGER,
  view_count LONG NOT NULL DEFAULT 0,
  -- For an item from the web: page address, alt text, context.
  source TEXT,
  -- The first item of which this one is a copy or a WebP copy. It stays when that item is deleted, so that its other copies
  -- are still known as versions of one picture.
  derived_from LONG,
  -- Whether it is one of the sample pictures, or a copy of one.
  is_sample INTEGER NOT NULL DEFAULT 0,
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
CREATE INDEX media_by_blob ON media (blob, owner_id);
CREATE INDEX media_samples ON media (owner_id) WHERE is_sample = 1;
CREATE INDEX media_in_trash ON media (trashed_at) WHERE is_trashed = 1;

-- Similar pictures are compared without reading the items themselves.
CREATE INDEX media_by_look ON media (owner_id, is_trashed, type, perceptual_hash, id) WHERE perceptual_hash IS NOT NULL;
-- Versions of one picture are not duplicates of each other.
CREATE INDEX media_derived ON media (owner_id, is_trashed, id, derived_from) WHERE derived_from IS NOT NULL;
-- Items are visited in the order of their changes to update the vectors of their words.
CREATE INDEX media_by_change ON media (updated_at, id);

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
-- Lists read the tags of 50 items in their order from this index alone.
CREATE INDEX media_tags_in_order ON media_tags (media_id, position, tag);

-- Tags that the owner removed from an item: the AI never adds them again.
CREATE TABLE removed_tags (
  media_id LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (media_id, tag)
);

-- Public addresses of media and collections. An old address stays and redirects to the current one.
CREATE TABLE slugs (
  kind TEXT NOT NULL,
  slug TEXT NOT NULL,
  target_id LONG NOT NULL,
  -- An item that goes public again gets back the address it took last.
  taken_at TIME NOT NULL,
  PRIMARY KEY (kind, slug)
);
CREATE INDEX slugs_by_target ON slugs (kind, target_id);

-- Pairs of items that the owner marked as different: they are no longer listed as possible duplicates.
CREATE TABLE different_media (
  media_a LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  media_b LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Pairs that were marked together are undone together.
  dismissal TEXT NOT NULL,
  created_at TIME NOT NULL,
  PRIMARY KEY (media_a, media_b),
  CHECK (media_a < media_b)
);
CREATE INDEX different_media_by_other ON different_media (media_b);
CREATE INDEX different_media_by_owner ON different_media (owner_id, created_at);
CREATE INDEX different_media_by_dismissal ON different_media (dismissal);

-- The files of items whose file was replaced at least once: the current one and those before it. Blobs live while a row here
-- points to them. Rows leave with their item by a trigger (010), which counts their bytes after those of the item.
CREATE TABLE media_versions (
  id ID,
  media_id LONG NOT NULL REFERENCES media (id) DEFERRABLE INITIALLY DEFERRED,
  owner_id LONG NOT NULL,
  -- upload, replacement, conversion or edit: how it became the file of the item, by whom and when
  cause TEXT NOT NULL,
  made_by LONG NOT NULL,
  made_at TIME NOT NULL,
  -- Null for the current file, whose other columns are up to date in its item only.
  replaced_at TIME,
  -- 1: it was replaced by a conversion that deletes originals, so it stays as long as trash does.
  is_expiring INTEGER NOT NULL DEFAULT 0,
  filename TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  blob TEXT NOT NULL REFERENCES blobs (sha256),
  size LONG NOT NULL,
  width INTEGER,
  height INTEGER,
  duration DOUBLE,
  is_animated INTEGER NOT NULL DEFAULT 0,
  processing_error TEXT,
  playback TEXT NOT NULL DEFAULT 'as-is',
  sprite TEXT,
  thumbhash TEXT,
  colours TEXT,
  -- The point that the owner had chosen when the file was replaced: an edit moves it.
  own_focal_x DOUBLE,
  own_focal_y DOUBLE,
  perceptual_hash TEXT,
  exif TEXT,
  taken_at TEXT
);
CREATE INDEX media_versions_by_media ON media_versions (media_id, replaced_at);
CREATE UNIQUE INDEX media_versions_current ON media_versions (media_id) WHERE replaced_at IS NULL;
CREATE INDEX media_versions_by_blob ON media_versions (blob, owner_id);
CREATE INDEX media_versions_earlier ON media_versions (owner_id, id) WHERE replaced_at IS NOT NULL;
CREATE INDEX media_versions_expiring ON media_versions (replaced_at) WHERE is_expiring = 1;
