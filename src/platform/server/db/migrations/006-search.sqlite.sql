-- Two search documents per item: by any three letters in a row, and by the beginnings of words for shorter queries.
-- A document's number is built from owner, trash and item (see sqlite-search.ts), so a search reads one library only.

CREATE VIRTUAL TABLE search_documents USING fts5 (name, text, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE VIRTUAL TABLE search_words USING fts5 (name, text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0', prefix = '1 2', detail = 'column');

CREATE TRIGGER search_forgotten AFTER DELETE ON media BEGIN
  DELETE FROM search_documents WHERE rowid = (OLD.owner_id * 2 + OLD.is_trashed) * 4294967296 + OLD.id;
  DELETE FROM search_words WHERE rowid = (OLD.owner_id * 2 + OLD.is_trashed) * 4294967296 + OLD.id;
END;
