-- One search document per item, in whose texts the words are marked (see search-index.ts), found by any three characters in
-- a row. A document's number is built from owner, trash and item (see sqlite-search.ts), so a search reads one library only.
-- The marks that a search can be narrowed by (type, favorite, collections) are three characters as well.

CREATE VIRTUAL TABLE search_documents USING fts5 (name, text, marks, content = '', contentless_delete = 1, tokenize = 'trigram');

CREATE TRIGGER search_forgotten AFTER DELETE ON media BEGIN
  DELETE FROM search_documents WHERE rowid = (OLD.owner_id * 2 + OLD.is_trashed) * 4294967296 + OLD.id;
END;
