-- The search of a smart collection, whose items are those that match it now.
ALTER TABLE collections ADD COLUMN query TEXT;
CREATE INDEX collections_smart ON collections (owner_id) WHERE query IS NOT NULL;
