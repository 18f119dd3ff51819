-- Files at ImageKit. An original is private, has the exact bytes of a blob and may be the only place that has them; a public
-- copy belongs to one public item and carries no metadata. Each lies in a folder of its own that is never used again, so
-- that taking one away can never harm the next.

CREATE TABLE imagekit_objects (
  folder TEXT NOT NULL PRIMARY KEY,
  -- original or public
  kind TEXT NOT NULL,
  blob TEXT NOT NULL,
  -- Whose public copy it is. No reference: what is there has to be removed there after the item is gone.
  media_id LONG,
  -- sending (it may be there), kept (it was read again and is right) or leaving (it is to be removed)
  state TEXT NOT NULL,
  file_path TEXT NOT NULL,
  file_id TEXT,
  bytes LONG NOT NULL,
  -- 1 when the bytes were removed here.
  is_only INTEGER NOT NULL DEFAULT 0,
  created_at TIME NOT NULL
);
CREATE UNIQUE INDEX imagekit_originals ON imagekit_objects (blob) WHERE kind = 'original' AND state <> 'leaving';
CREATE UNIQUE INDEX imagekit_public_copies ON imagekit_objects (media_id) WHERE kind = 'public' AND state <> 'leaving';

-- Copies that were made before: public ones may carry metadata, so all of them go; the files themselves are here.
INSERT INTO imagekit_objects (folder, kind, blob, media_id, state, file_path, file_id, bytes, created_at)
  SELECT '/albumen/' || media_id || '-' || substr(blob, 1, 12), 'public', blob, media_id, 'leaving', file_path, file_id, 0,
    copied_at FROM imagekit_files;
DROP TABLE imagekit_files;
