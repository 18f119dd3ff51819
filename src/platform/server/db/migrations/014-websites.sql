-- Websites, for which people prepare pictures, and the words about a picture that websites need.

CREATE TABLE websites (
  id ID,
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- The folded name: a collection's company belongs to the website with this key.
  name_key TEXT NOT NULL,
  url TEXT,
  -- BCP 47 tags as a JSON array; the first is the main language.
  languages TEXT NOT NULL,
  tone TEXT,
  audience TEXT,
  keywords TEXT,
  name_pattern TEXT,
  -- What new collections of the website start with, as JSON.
  branding TEXT,
  -- The website's named sizes as JSON, in addition to those of its owner.
  presets TEXT,
  creator TEXT,
  licence TEXT,
  -- Whether files for visitors contain creator and licence.
  states_rights INTEGER NOT NULL DEFAULT 0,
  created_at TIME NOT NULL,
  updated_at TIME NOT NULL,
  UNIQUE (owner_id, name_key)
);

ALTER TABLE collections ADD COLUMN website_id LONG REFERENCES websites (id) ON DELETE SET NULL;
CREATE INDEX collections_by_website ON collections (website_id) WHERE website_id IS NOT NULL;

ALTER TABLE media ADD COLUMN title TEXT;
-- Alt texts by BCP 47 tag, as a JSON object.
ALTER TABLE media ADD COLUMN alt_texts TEXT;
ALTER TABLE media ADD COLUMN is_decorative INTEGER NOT NULL DEFAULT 0;
ALTER TABLE media ADD COLUMN creator TEXT;
ALTER TABLE media ADD COLUMN credit TEXT;
ALTER TABLE media ADD COLUMN licence TEXT;
ALTER TABLE media ADD COLUMN source_url TEXT;
