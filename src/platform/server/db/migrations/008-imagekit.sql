-- Files at ImageKit. An original is private and has the exact bytes of a blob, perhaps the only copy of them. A public copy
-- belongs to one public item and carries no metadata. Each lies in a folder of its own that is never used again, so that
-- removing one cannot harm a later one.

CREATE TABLE imagekit_objects (
  folder TEXT NOT NULL PRIMARY KEY,
  -- original or public
  kind TEXT NOT NULL,
  blob TEXT NOT NULL,
  -- The item of a public copy. No reference: the row outlives the item until ImageKit has removed the file.
  media_id LONG,
  -- sending (it may be there), kept (it was read back and is right) or leaving (it is to be removed)
  state TEXT NOT NULL,
  file_path TEXT NOT NULL,
  file_id TEXT,
  bytes LONG NOT NULL,
  -- 1: the local bytes were removed.
  is_only INTEGER NOT NULL DEFAULT 0,
  created_at TIME NOT NULL
);
CREATE UNIQUE INDEX imagekit_originals ON imagekit_objects (blob) WHERE kind = 'original' AND state <> 'leaving';
CREATE UNIQUE INDEX imagekit_public_copies ON imagekit_objects (media_id) WHERE kind = 'public' AND state <> 'leaving';
