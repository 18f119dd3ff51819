-- Triggers: exact counts, loose blobs and views are kept by the database itself, so that no code path can forget them.

CREATE TRIGGER media_counted AFTER INSERT ON media BEGIN
  UPDATE users SET
    storage_used = storage_used + NEW.size *
      (NOT EXISTS (SELECT 1 FROM media WHERE blob = NEW.blob AND owner_id = NEW.owner_id AND id <> NEW.id)
        AND NOT EXISTS (SELECT 1 FROM media_versions WHERE blob = NEW.blob AND owner_id = NEW.owner_id)),
    media_count = media_count + 1,
    trashed_count = trashed_count + NEW.is_trashed,
    image_count = image_count + (NEW.type = 'image' AND NEW.is_trashed = 0),
    video_count = video_count + (NEW.type = 'video' AND NEW.is_trashed = 0),
    favorite_count = favorite_count + (NEW.is_favorite = 1 AND NEW.is_trashed = 0)
  WHERE id = NEW.owner_id;
END;

CREATE TRIGGER media_uncounted AFTER DELETE ON media BEGIN
  UPDATE users SET
    storage_used = storage_used - OLD.size *
      (NOT EXISTS (SELECT 1 FROM media WHERE blob = OLD.blob AND owner_id = OLD.owner_id)
        AND NOT EXISTS (SELECT 1 FROM media_versions WHERE blob = OLD.blob AND owner_id = OLD.owner_id)),
    media_count = media_count - 1,
    trashed_count = trashed_count - OLD.is_trashed,
    image_count = image_count - (OLD.type = 'image' AND OLD.is_trashed = 0),
    video_count = video_count - (OLD.type = 'video' AND OLD.is_trashed = 0),
    favorite_count = favorite_count - (OLD.is_favorite = 1 AND OLD.is_trashed = 0)
  WHERE id = OLD.owner_id;
  -- In this order, so that bytes of the item and of a version of it are taken off once.
  DELETE FROM media_versions WHERE media_id = OLD.id;
END;

CREATE TRIGGER storage_recounted AFTER UPDATE OF blob, size ON media WHEN NEW.blob <> OLD.blob OR NEW.size <> OLD.size BEGIN
  UPDATE users SET storage_used = storage_used
    + NEW.size * (NOT EXISTS (SELECT 1 FROM media WHERE blob = NEW.blob AND owner_id = NEW.owner_id AND id <> NEW.id)
      AND NOT EXISTS (SELECT 1 FROM media_versions WHERE blob = NEW.blob AND owner_id = NEW.owner_id))
    - OLD.size * (NOT EXISTS (SELECT 1 FROM media WHERE blob = OLD.blob AND owner_id = OLD.owner_id AND id <> OLD.id)
      AND NOT EXISTS (SELECT 1 FROM media_versions WHERE blob = OLD.blob AND owner_id = OLD.owner_id))
  WHERE id = NEW.owner_id;
END;

CREATE TRIGGER version_counted AFTER INSERT ON media_versions BEGIN
  UPDATE users SET storage_used = storage_used + NEW.size *
    (NOT EXISTS (SELECT 1 FROM media WHERE blob = NEW.blob AND owner_id = NEW.owner_id)
      AND NOT EXISTS (SELECT 1 FROM media_versions WHERE blob = NEW.blob AND owner_id = NEW.owner_id AND id <> NEW.id))
  WHERE id = NEW.owner_id;
END;

CREATE TRIGGER version_uncounted AFTER DELETE ON media_versions BEGIN
  UPDATE users SET storage_used = storage_used - OLD.size *
    (NOT EXISTS (SELECT 1 FROM media WHERE blob = OLD.blob AND owner_id = OLD.owner_id)
      AND NOT EXISTS (SELECT 1 FROM media_versions WHERE blob = OLD.blob AND owner_id = OLD.owner_id))
  WHERE id = OLD.owner_id;
END;

CREATE TRIGGER media_recounted AFTER UPDATE OF type, is_trashed, is_favorite ON media BEGIN
  UPDATE users SET
    trashed_count = trashed_count + NEW.is_trashed - OLD.is_trashed,
    image_count = image_count + (NEW.type = 'image' AND NEW.is_trashed = 0) - (OLD.type = 'image' AND OLD.is_trashed = 0),
    video_count = video_count + (NEW.type = 'video' AND NEW.is_trashed = 0) - (OLD.type = 'video' AND OLD.is_trashed = 0),
    favorite_count = favorite_count + (NEW.is_favorite = 1 AND NEW.is_trashed = 0) - (OLD.is_favorite = 1 AND OLD.is_trashed = 0)
  WHERE id = NEW.owner_id;
END;

CREATE TRIGGER members_recounted AFTER UPDATE OF is_trashed ON media WHEN NEW.is_trashed <> OLD.is_trashed BEGIN
  UPDATE collections SET media_count = media_count + OLD.is_trashed - NEW.is_trashed
  WHERE id IN (SELECT collection_id FROM collection_media WHERE media_id = NEW.id);
END;

-- Memberships are deleted before their item, while member_uncounted can still read whether it was in the trash.
CREATE TRIGGER members_removed BEFORE DELETE ON media BEGIN
  DELETE FROM collection_media WHERE media_id = OLD.id;
END;

CREATE TRIGGER member_counted AFTER INSERT ON collection_media BEGIN
  UPDATE collections SET media_count = media_count + (SELECT 1 - is_trashed FROM media WHERE id = NEW.media_id)
  WHERE id = NEW.collection_id;
END;

CREATE TRIGGER member_uncounted AFTER DELETE ON collection_media BEGIN
  UPDATE collections SET media_count = media_count - (SELECT 1 - is_trashed FROM media WHERE id = OLD.media_id)
  WHERE id = OLD.collection_id AND EXISTS (SELECT 1 FROM media WHERE id = OLD.media_id);
END;

CREATE TRIGGER collection_counted AFTER INSERT ON collections BEGIN
  UPDATE users SET collection_count = collection_count + 1 WHERE id = NEW.owner_id;
END;

CREATE TRIGGER collection_uncounted AFTER DELETE ON collections BEGIN
  UPDATE users SET collection_count = collection_count - 1 WHERE id = OLD.owner_id;
END;

CREATE TRIGGER blob_arrived AFTER INSERT ON blobs BEGIN
  INSERT INTO loose_blobs (sha256, is_released) VALUES (NEW.sha256, 0);
END;

CREATE TRIGGER blob_left AFTER DELETE ON media BEGIN
  INSERT INTO loose_blobs (sha256, is_released) VALUES (OLD.blob, 1);
END;

CREATE TRIGGER version_left AFTER DELETE ON media_versions BEGIN
  INSERT INTO loose_blobs (sha256, is_released) VALUES (OLD.blob, 1);
END;

CREATE TRIGGER blob_replaced AFTER UPDATE OF blob ON media WHEN NEW.blob <> OLD.blob BEGIN
  INSERT INTO loose_blobs (sha256, is_released) VALUES (OLD.blob, 1);
END;

-- A restore may give the id of a deleted item or collection to another one, which must not inherit its views.
CREATE TRIGGER media_views_left AFTER DELETE ON media BEGIN
  DELETE FROM share_views WHERE kind = 'media' AND target_id = OLD.id;
END;

CREATE TRIGGER collection_views_left AFTER DELETE ON collections BEGIN
  DELETE FROM share_views WHERE kind = 'collection' AND target_id = OLD.id;
END;
