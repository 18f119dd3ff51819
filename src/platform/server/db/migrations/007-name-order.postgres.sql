-- Names are sorted by their key's own characters, as SQLite does, and not by the rules of the server's language.

ALTER TABLE media ALTER COLUMN name_key TYPE TEXT COLLATE "C";
