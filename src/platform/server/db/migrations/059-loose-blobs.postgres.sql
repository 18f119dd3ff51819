-- Bytes that are new, or have lost an item: whether any item still points to them is asked when the janitor comes, so that
-- nobody has to look through all of them. Rows are only added here and taken away by whoever has read them: nobody waits for
-- anybody, and one that is written while another of the same bytes is taken away stays.

CREATE TABLE loose_blobs (
  id ID,
  sha256 TEXT NOT NULL
);

INSERT INTO loose_blobs (sha256)
SELECT sha256 FROM blobs WHERE NOT EXISTS (SELECT 1 FROM media WHERE media.blob = blobs.sha256);

CREATE FUNCTION note_new_blob() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO loose_blobs (sha256) VALUES (NEW.sha256);
  RETURN NULL;
END $$;
CREATE TRIGGER blob_arrived AFTER INSERT ON blobs FOR EACH ROW EXECUTE FUNCTION note_new_blob();

CREATE FUNCTION note_left_blob() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO loose_blobs (sha256) VALUES (OLD.blob);
  RETURN NULL;
END $$;
CREATE TRIGGER blob_left AFTER DELETE ON media FOR EACH ROW EXECUTE FUNCTION note_left_blob();
CREATE TRIGGER blob_replaced AFTER UPDATE OF blob ON media FOR EACH ROW
  WHEN (NEW.blob <> OLD.blob) EXECUTE FUNCTION note_left_blob();
