-- One search document per item, in whose texts the words are marked (see search-index.ts).

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE TABLE search_documents (
  media_id BIGINT NOT NULL PRIMARY KEY REFERENCES media (id) ON DELETE CASCADE,
  owner_id BIGINT NOT NULL,
  is_trashed INTEGER NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX search_documents_by_text ON search_documents USING gin (owner_id, (name || E'\n' || text) gin_trgm_ops);

-- Names are sorted by the bytes of their key, as SQLite does, and not by the rules of the server's language.
ALTER TABLE media ALTER COLUMN name_key TYPE TEXT COLLATE "C";
