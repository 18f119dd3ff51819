-- One search document per item, found by any three letters in a row, and by the beginnings of words for shorter queries.
-- A document's number is built from owner, trash and item (see sqlite-search.ts), so a search reads one library only.
-- The beginnings are written so that they are three characters as well: `^^b` and `^be` for "beach". So are the marks
-- that a search can be narrowed by (type, favorite, collections).

CREATE VIRTUAL TABLE search_documents USING fts5 (name, text, name_beginnings, text_beginnings, marks, content = '', contentless_delete = 1, tokenize = 'trigram');

CREATE TRIGGER search_forgotten AFTER DELETE ON media BEGIN
  DELETE FROM search_documents WHERE rowid = (OLD.owner_id * 2 + OLD.is_trashed) * 4294967296 + OLD.id;
END;
