-- Items that have a verified copy at ImageKit. The local bytes stay; this only says where the copy is.

CREATE TABLE imagekit_files (
  media_id LONG NOT NULL PRIMARY KEY REFERENCES media (id) ON DELETE CASCADE,
  -- The bytes that were copied: an item that was converted since needs a new copy.
  blob TEXT NOT NULL,
  file_id TEXT NOT NULL,
  file_path TEXT NOT NULL,
  is_private INTEGER NOT NULL,
  copied_at TIME NOT NULL
);
