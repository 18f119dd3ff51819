-- What an owner decided about a tag itself, and not about the items that have it.

CREATE TABLE tag_settings (
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  -- The name of one of the colors that the interface offers.
  color TEXT,
  -- Whether the AI must never add or suggest it.
  is_never INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, tag)
);

-- Pairs that are no longer suggested for merging. tag_a sorts before tag_b.
CREATE TABLE different_tags (
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  tag_a TEXT NOT NULL,
  tag_b TEXT NOT NULL,
  PRIMARY KEY (owner_id, tag_a, tag_b)
);
