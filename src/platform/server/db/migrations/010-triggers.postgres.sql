-- Triggers: exact counts, loose blobs and views are kept by the database itself, so that no code path can forget them.

CREATE FUNCTION count_media() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET
    media_count = media_count + 1,
    trashed_count = trashed_count + NEW.is_trashed,
    image_count = image_count + (NEW.type = 'image' AND NEW.is_trashed = 0)::int,
    video_count = video_count + (NEW.type = 'video' AND NEW.is_trashed = 0)::int,
    favorite_count = favorite_count + (NEW.is_favorite = 1 AND NEW.is_trashed = 0)::int
  WHERE id = NEW.owner_id;
  RETURN NULL;
END $$;
CREATE TRIGGER media_counted AFTER INSERT ON media FOR EACH ROW EXECUTE FUNCTION count_media();

CREATE FUNCTION uncount_media() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET
    media_count = media_count - 1,
    trashed_count = trashed_count - OLD.is_trashed,
    image_count = image_count - (OLD.type = 'image' AND OLD.is_trashed = 0)::int,
    video_count = video_count - (OLD.type = 'video' AND OLD.is_trashed = 0)::int,
    favorite_count = favorite_count - (OLD.is_favorite = 1 AND OLD.is_trashed = 0)::int
  WHERE id = OLD.owner_id;
  RETURN NULL;
END $$;
CREATE TRIGGER media_uncounted AFTER DELETE ON media FOR EACH ROW EXECUTE FUNCTION uncount_media();

CREATE FUNCTION recount_media() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET
    trashed_count = trashed_count + NEW.is_trashed - OLD.is_trashed,
    image_count = image_count + (NEW.type = 'image' AND NEW.is_trashed = 0)::int - (OLD.type = 'image' AND OLD.is_trashed = 0)::int,
    video_count = video_count + (NEW.type = 'video' AND NEW.is_trashed = 0)::int - (OLD.type = 'video' AND OLD.is_trashed = 0)::int,
    favorite_count = favorite_count + (NEW.is_favorite = 1 AND NEW.is_trashed = 0)::int - (OLD.is_favorite = 1 AND OLD.is_trashed = 0)::int
  WHERE id = NEW.owner_id;
  RETURN NULL;
END $$;
CREATE TRIGGER media_recounted AFTER UPDATE OF type, is_trashed, is_favorite ON media FOR EACH ROW EXECUTE FUNCTION recount_media();

-- Bytes that items of an owner share count once. Row by row, a statement that adds or deletes two such items would count them
-- wrongly, because each of its rows sees the other.
CREATE FUNCTION count_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET storage_used = storage_used + changed.bytes FROM (
    SELECT owner_id, sum(size) AS bytes FROM (
      SELECT owner_id, blob, max(size) AS size FROM added
      WHERE NOT EXISTS (SELECT 1 FROM media WHERE media.blob = added.blob AND media.owner_id = added.owner_id
        AND media.id NOT IN (SELECT id FROM added))
      AND NOT EXISTS (SELECT 1 FROM media_versions AS version
        WHERE version.blob = added.blob AND version.owner_id = added.owner_id)
      GROUP BY owner_id, blob) AS unshared GROUP BY owner_id) AS changed
  WHERE users.id = changed.owner_id;
  RETURN NULL;
END $$;
CREATE TRIGGER storage_counted AFTER INSERT ON media REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_storage();

CREATE FUNCTION uncount_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET storage_used = storage_used - changed.bytes FROM (
    SELECT owner_id, sum(size) AS bytes FROM (
      SELECT owner_id, blob, max(size) AS size FROM removed
      WHERE NOT EXISTS (SELECT 1 FROM media WHERE media.blob = removed.blob AND media.owner_id = removed.owner_id)
      AND NOT EXISTS (SELECT 1 FROM media_versions AS version
        WHERE version.blob = removed.blob AND version.owner_id = removed.owner_id)
      GROUP BY owner_id, blob) AS unshared GROUP BY owner_id) AS changed
  WHERE users.id = changed.owner_id;
  -- In this order, so that bytes of an item and of a version of it are taken off once.
  DELETE FROM media_versions WHERE media_id IN (SELECT id FROM removed);
  RETURN NULL;
END $$;
CREATE TRIGGER storage_uncounted AFTER DELETE ON media REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION uncount_storage();

-- The bytes of one item are replaced at a time.
CREATE FUNCTION recount_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET storage_used = storage_used
    + NEW.size * (NOT EXISTS (SELECT 1 FROM media WHERE blob = NEW.blob AND owner_id = NEW.owner_id AND id <> NEW.id)
      AND NOT EXISTS (SELECT 1 FROM media_versions WHERE blob = NEW.blob AND owner_id = NEW.owner_id))::int
    - OLD.size * (NOT EXISTS (SELECT 1 FROM media WHERE blob = OLD.blob AND owner_id = OLD.owner_id AND id <> OLD.id)
      AND NOT EXISTS (SELECT 1 FROM media_versions WHERE blob = OLD.blob AND owner_id = OLD.owner_id))::int
  WHERE id = NEW.owner_id;
  RETURN NULL;
END $$;
CREATE TRIGGER storage_recounted AFTER UPDATE OF blob, size ON media FOR EACH ROW
  WHEN (NEW.blob <> OLD.blob OR NEW.size <> OLD.size) EXECUTE FUNCTION recount_storage();

CREATE FUNCTION count_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET storage_used = storage_used + changed.bytes FROM (
    SELECT owner_id, sum(size) AS bytes FROM (
      SELECT owner_id, blob, max(size) AS size FROM added
      WHERE NOT EXISTS (SELECT 1 FROM media WHERE media.blob = added.blob AND media.owner_id = added.owner_id)
      AND NOT EXISTS (SELECT 1 FROM media_versions AS other WHERE other.blob = added.blob
        AND other.owner_id = added.owner_id AND other.id NOT IN (SELECT id FROM added))
      GROUP BY owner_id, blob) AS unshared GROUP BY owner_id) AS changed
  WHERE users.id = changed.owner_id;
  RETURN NULL;
END $$;
CREATE TRIGGER versions_counted AFTER INSERT ON media_versions REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_versions();

CREATE FUNCTION uncount_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET storage_used = storage_used - changed.bytes FROM (
    SELECT owner_id, sum(size) AS bytes FROM (
      SELECT owner_id, blob, max(size) AS size FROM removed
      WHERE NOT EXISTS (SELECT 1 FROM media WHERE media.blob = removed.blob AND media.owner_id = removed.owner_id)
      AND NOT EXISTS (SELECT 1 FROM media_versions AS other
        WHERE other.blob = removed.blob AND other.owner_id = removed.owner_id)
      GROUP BY owner_id, blob) AS unshared GROUP BY owner_id) AS changed
  WHERE users.id = changed.owner_id;
  RETURN NULL;
END $$;
CREATE TRIGGER versions_uncounted AFTER DELETE ON media_versions REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION uncount_versions();

CREATE FUNCTION recount_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE collections SET media_count = media_count + OLD.is_trashed - NEW.is_trashed
  WHERE id IN (SELECT collection_id FROM collection_media WHERE media_id = NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER members_recounted AFTER UPDATE OF is_trashed ON media FOR EACH ROW
  WHEN (NEW.is_trashed <> OLD.is_trashed) EXECUTE FUNCTION recount_members();

-- Memberships are deleted before their item, while member_uncounted can still read whether it was in the trash.
CREATE FUNCTION remove_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM collection_media WHERE media_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER members_removed BEFORE DELETE ON media FOR EACH ROW EXECUTE FUNCTION remove_members();

CREATE FUNCTION count_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE collections SET media_count = media_count + (SELECT 1 - is_trashed FROM media WHERE id = NEW.media_id)
  WHERE id = NEW.collection_id;
  RETURN NULL;
END $$;
CREATE TRIGGER member_counted AFTER INSERT ON collection_media FOR EACH ROW EXECUTE FUNCTION count_member();

CREATE FUNCTION uncount_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE collections SET media_count = media_count - (SELECT 1 - is_trashed FROM media WHERE id = OLD.media_id)
  WHERE id = OLD.collection_id AND EXISTS (SELECT 1 FROM media WHERE id = OLD.media_id);
  RETURN NULL;
END $$;
CREATE TRIGGER member_uncounted AFTER DELETE ON collection_media FOR EACH ROW EXECUTE FUNCTION uncount_member();

CREATE FUNCTION count_collection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN UPDATE users SET collection_count = collection_count + 1 WHERE id = NEW.owner_id;
  ELSE UPDATE users SET collection_count = collection_count - 1 WHERE id = OLD.owner_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER collection_counted AFTER INSERT OR DELETE ON collections FOR EACH ROW EXECUTE FUNCTION count_collection();

CREATE FUNCTION note_new_blob() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO loose_blobs (sha256, is_released) VALUES (NEW.sha256, 0);
  RETURN NULL;
END $$;
CREATE TRIGGER blob_arrived AFTER INSERT ON blobs FOR EACH ROW EXECUTE FUNCTION note_new_blob();

CREATE FUNCTION note_left_blob() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO loose_blobs (sha256, is_released) VALUES (OLD.blob, 1);
  RETURN NULL;
END $$;
CREATE TRIGGER blob_left AFTER DELETE ON media FOR EACH ROW EXECUTE FUNCTION note_left_blob();
CREATE TRIGGER version_left AFTER DELETE ON media_versions FOR EACH ROW EXECUTE FUNCTION note_left_blob();
CREATE TRIGGER blob_replaced AFTER UPDATE OF blob ON media FOR EACH ROW
  WHEN (NEW.blob <> OLD.blob) EXECUTE FUNCTION note_left_blob();

-- A restore may give the id of a deleted item or collection to another one, which must not inherit its views.
CREATE FUNCTION remove_media_views() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM share_views WHERE kind = 'media' AND target_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER media_views_left AFTER DELETE ON media FOR EACH ROW EXECUTE FUNCTION remove_media_views();

CREATE FUNCTION remove_collection_views() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM share_views WHERE kind = 'collection' AND target_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER collection_views_left AFTER DELETE ON collections FOR EACH ROW EXECUTE FUNCTION remove_collection_views();
