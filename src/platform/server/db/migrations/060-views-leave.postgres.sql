-- How often something was looked at goes with it, whoever deletes it. A new item or collection of a library that was restored
-- elsewhere may get the number of one that was deleted here: it would begin with that one's visitors.

DELETE FROM share_views WHERE kind = 'media' AND NOT EXISTS (SELECT 1 FROM media WHERE media.id = target_id);
DELETE FROM share_views WHERE kind = 'collection' AND NOT EXISTS (SELECT 1 FROM collections WHERE collections.id = target_id);

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
