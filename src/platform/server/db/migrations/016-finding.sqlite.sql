-- Finding: the date of an item, how many items each month has, and the values that searches are filtered by.

-- When it was taken, in the camera's local time, or else when it was added. Set by triggers.
ALTER TABLE media ADD COLUMN dated_at TEXT NOT NULL DEFAULT '';
UPDATE media SET dated_at = coalesce(taken_at, strftime('%Y-%m-%dT%H:%M:%SZ', created_at / 1000, 'unixepoch'));
CREATE INDEX media_by_date ON media (owner_id, is_trashed, dated_at DESC, id DESC);
CREATE INDEX media_type_by_date ON media (owner_id, is_trashed, type, dated_at DESC, id DESC);

-- How many items each month has, so that a jump to a month reads no other item. Kept by triggers.
CREATE TABLE media_months (
  owner_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- taken or added
  kind TEXT NOT NULL,
  month TEXT NOT NULL,
  -- Those in the trash count in trashed_count only.
  image_count INTEGER NOT NULL,
  video_count INTEGER NOT NULL,
  favorite_count INTEGER NOT NULL,
  trashed_count INTEGER NOT NULL,
  PRIMARY KEY (owner_id, kind, month)
) STRICT, WITHOUT ROWID;
INSERT INTO media_months
SELECT owner_id, 'taken', substr(dated_at, 1, 7), sum(type = 'image' AND is_trashed = 0),
  sum(type = 'video' AND is_trashed = 0), sum(is_favorite = 1 AND is_trashed = 0), sum(is_trashed)
FROM media GROUP BY 1, 3;
INSERT INTO media_months
SELECT owner_id, 'added', strftime('%Y-%m', created_at / 1000, 'unixepoch'), sum(type = 'image' AND is_trashed = 0),
  sum(type = 'video' AND is_trashed = 0), sum(is_favorite = 1 AND is_trashed = 0), sum(is_trashed)
FROM media GROUP BY 1, 3;

-- The tags, cameras and places of an owner's items, and how many items outside the trash have each. Rows are kept at 0,
-- since search documents contain their ids.
CREATE TABLE facets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- tag, camera or place
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  -- The folded value, for searching. Null until its first item is indexed.
  key TEXT,
  item_count INTEGER NOT NULL,
  UNIQUE (owner_id, kind, value)
);
CREATE INDEX facets_by_key ON facets (owner_id, kind, key);
INSERT INTO facets (owner_id, kind, value, item_count)
SELECT media.owner_id, 'tag', tag, sum(1 - is_trashed) FROM media_tags JOIN media ON media.id = media_id GROUP BY 1, 3;
INSERT INTO facets (owner_id, kind, value, item_count)
SELECT owner_id, 'camera', json_extract(exif, '$.camera'), sum(1 - is_trashed)
FROM media WHERE json_extract(exif, '$.camera') IS NOT NULL GROUP BY 1, 3;
INSERT INTO facets (owner_id, kind, value, item_count)
SELECT owner_id, 'place', json_extract(exif, '$.place'), sum(1 - is_trashed)
FROM media WHERE json_extract(exif, '$.place') IS NOT NULL GROUP BY 1, 3;

-- How many items outside the trash share a perceptual hash; with two or more they are possible duplicates.
CREATE TABLE media_looks (
  owner_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  perceptual_hash TEXT NOT NULL,
  item_count INTEGER NOT NULL,
  PRIMARY KEY (owner_id, perceptual_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX media_looks_shared ON media_looks (owner_id, perceptual_hash) WHERE item_count > 1;
INSERT INTO media_looks
SELECT owner_id, perceptual_hash, sum(1 - is_trashed) FROM media WHERE perceptual_hash IS NOT NULL GROUP BY 1, 2;

-- An item leaves the counts with its old values and enters them with its new ones.
CREATE TRIGGER found_added AFTER INSERT ON media BEGIN
  UPDATE media SET dated_at = coalesce(taken_at, strftime('%Y-%m-%dT%H:%M:%SZ', created_at / 1000, 'unixepoch'))
  WHERE id = NEW.id;
  INSERT INTO media_months (owner_id, kind, month, image_count, video_count, favorite_count, trashed_count)
  SELECT NEW.owner_id, column1, column2, NEW.type = 'image' AND NEW.is_trashed = 0,
    NEW.type = 'video' AND NEW.is_trashed = 0, NEW.is_favorite = 1 AND NEW.is_trashed = 0, NEW.is_trashed
  FROM (VALUES ('added', strftime('%Y-%m', NEW.created_at / 1000, 'unixepoch')),
    ('taken', coalesce(substr(NEW.taken_at, 1, 7), strftime('%Y-%m', NEW.created_at / 1000, 'unixepoch'))))
  WHERE true
  ON CONFLICT DO UPDATE SET image_count = image_count + excluded.image_count,
    video_count = video_count + excluded.video_count, favorite_count = favorite_count + excluded.favorite_count,
    trashed_count = trashed_count + excluded.trashed_count;
  INSERT INTO media_looks (owner_id, perceptual_hash, item_count)
  SELECT NEW.owner_id, NEW.perceptual_hash, 1 - NEW.is_trashed WHERE NEW.perceptual_hash IS NOT NULL
  ON CONFLICT DO UPDATE SET item_count = item_count + excluded.item_count;
  INSERT INTO facets (owner_id, kind, value, item_count)
  SELECT NEW.owner_id, key, atom, 1 - NEW.is_trashed FROM json_each(NEW.exif) WHERE key IN ('camera', 'place')
  ON CONFLICT DO UPDATE SET item_count = item_count + excluded.item_count;
END;

CREATE TRIGGER found_removed AFTER DELETE ON media BEGIN
  UPDATE media_months SET image_count = image_count - (OLD.type = 'image' AND OLD.is_trashed = 0),
    video_count = video_count - (OLD.type = 'video' AND OLD.is_trashed = 0),
    favorite_count = favorite_count - (OLD.is_favorite = 1 AND OLD.is_trashed = 0),
    trashed_count = trashed_count - OLD.is_trashed
  WHERE owner_id = OLD.owner_id AND (kind, month) IN
    (VALUES ('added', strftime('%Y-%m', OLD.created_at / 1000, 'unixepoch')), ('taken', substr(OLD.dated_at, 1, 7)));
  UPDATE media_looks SET item_count = item_count + OLD.is_trashed - 1
  WHERE owner_id = OLD.owner_id AND perceptual_hash = OLD.perceptual_hash;
  UPDATE facets SET item_count = item_count + OLD.is_trashed - 1
  WHERE owner_id = OLD.owner_id AND (kind, value) IN (SELECT key, atom FROM json_each(OLD.exif));
END;

CREATE TRIGGER month_changed AFTER UPDATE OF type, is_trashed, is_favorite, taken_at, created_at ON media BEGIN
  UPDATE media_months SET image_count = image_count - (OLD.type = 'image' AND OLD.is_trashed = 0),
    video_count = video_count - (OLD.type = 'video' AND OLD.is_trashed = 0),
    favorite_count = favorite_count - (OLD.is_favorite = 1 AND OLD.is_trashed = 0),
    trashed_count = trashed_count - OLD.is_trashed
  WHERE owner_id = OLD.owner_id AND (kind, month) IN
    (VALUES ('added', strftime('%Y-%m', OLD.created_at / 1000, 'unixepoch')), ('taken', substr(OLD.dated_at, 1, 7)));
  UPDATE media SET dated_at = coalesce(taken_at, strftime('%Y-%m-%dT%H:%M:%SZ', created_at / 1000, 'unixepoch'))
  WHERE id = NEW.id AND (NEW.taken_at IS NOT OLD.taken_at OR NEW.created_at <> OLD.created_at);
  INSERT INTO media_months (owner_id, kind, month, image_count, video_count, favorite_count, trashed_count)
  SELECT NEW.owner_id, column1, column2, NEW.type = 'image' AND NEW.is_trashed = 0,
    NEW.type = 'video' AND NEW.is_trashed = 0, NEW.is_favorite = 1 AND NEW.is_trashed = 0, NEW.is_trashed
  FROM (VALUES ('added', strftime('%Y-%m', NEW.created_at / 1000, 'unixepoch')),
    ('taken', coalesce(substr(NEW.taken_at, 1, 7), strftime('%Y-%m', NEW.created_at / 1000, 'unixepoch'))))
  WHERE true
  ON CONFLICT DO UPDATE SET image_count = image_count + excluded.image_count,
    video_count = video_count + excluded.video_count, favorite_count = favorite_count + excluded.favorite_count,
    trashed_count = trashed_count + excluded.trashed_count;
END;

CREATE TRIGGER look_changed AFTER UPDATE OF perceptual_hash, is_trashed ON media
WHEN NEW.perceptual_hash IS NOT OLD.perceptual_hash OR NEW.is_trashed <> OLD.is_trashed BEGIN
  UPDATE media_looks SET item_count = item_count + OLD.is_trashed - 1
  WHERE owner_id = OLD.owner_id AND perceptual_hash = OLD.perceptual_hash;
  INSERT INTO media_looks (owner_id, perceptual_hash, item_count)
  SELECT NEW.owner_id, NEW.perceptual_hash, 1 - NEW.is_trashed WHERE NEW.perceptual_hash IS NOT NULL
  ON CONFLICT DO UPDATE SET item_count = item_count + excluded.item_count;
END;

CREATE TRIGGER exif_changed AFTER UPDATE OF exif, is_trashed ON media
WHEN NEW.exif IS NOT OLD.exif OR NEW.is_trashed <> OLD.is_trashed BEGIN
  UPDATE facets SET item_count = item_count + OLD.is_trashed - 1
  WHERE owner_id = OLD.owner_id AND (kind, value) IN (SELECT key, atom FROM json_each(OLD.exif));
  INSERT INTO facets (owner_id, kind, value, item_count)
  SELECT NEW.owner_id, key, atom, 1 - NEW.is_trashed FROM json_each(NEW.exif) WHERE key IN ('camera', 'place')
  ON CONFLICT DO UPDATE SET item_count = item_count + excluded.item_count;
END;

CREATE TRIGGER tags_recounted AFTER UPDATE OF is_trashed ON media WHEN NEW.is_trashed <> OLD.is_trashed BEGIN
  UPDATE facets SET item_count = item_count + OLD.is_trashed - NEW.is_trashed
  WHERE owner_id = NEW.owner_id AND kind = 'tag' AND value IN (SELECT tag FROM media_tags WHERE media_id = NEW.id);
END;

-- Tags are deleted before their item, while tag_uncounted can still read whether it was in the trash.
CREATE TRIGGER tags_removed BEFORE DELETE ON media BEGIN
  DELETE FROM media_tags WHERE media_id = OLD.id;
END;

CREATE TRIGGER tag_counted AFTER INSERT ON media_tags BEGIN
  INSERT INTO facets (owner_id, kind, value, item_count)
  SELECT NEW.owner_id, 'tag', NEW.tag, 1 - is_trashed FROM media WHERE id = NEW.media_id
  ON CONFLICT DO UPDATE SET item_count = item_count + excluded.item_count;
END;

CREATE TRIGGER tag_uncounted AFTER DELETE ON media_tags BEGIN
  UPDATE facets SET item_count = item_count - (SELECT 1 - is_trashed FROM media WHERE id = OLD.media_id)
  WHERE owner_id = OLD.owner_id AND kind = 'tag' AND value = OLD.tag
    AND EXISTS (SELECT 1 FROM media WHERE id = OLD.media_id);
END;
