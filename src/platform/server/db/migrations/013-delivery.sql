-- How a user's pictures are delivered to websites. Written when the user first needs it.

CREATE TABLE delivery_settings (
  owner_id LONG NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  -- Signs the addresses of sizes that visitors may not choose themselves. In backups, so that websites keep their pictures.
  signing_key TEXT NOT NULL,
  -- The user's named sizes as JSON; none: those that everyone has from the start.
  presets TEXT,
  -- Whether search engines may list the pages of single items, unless the item says otherwise.
  indexes_pages INTEGER NOT NULL DEFAULT 0
);
