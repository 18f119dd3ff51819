-- Pairs of items of which a person said that they show different things: such a pair is no possible duplicate any more.

CREATE TABLE different_media (
  media_a LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  media_b LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- What was said in one breath is taken back in one.
  dismissal TEXT NOT NULL,
  created_at TIME NOT NULL,
  PRIMARY KEY (media_a, media_b),
  CHECK (media_a < media_b)
);
CREATE INDEX different_media_by_other ON different_media (media_b);
CREATE INDEX different_media_by_owner ON different_media (owner_id, created_at);
CREATE INDEX different_media_by_dismissal ON different_media (dismissal);

-- Looks are compared without reading the items themselves.
CREATE INDEX media_by_look ON media (owner_id, is_trashed, type, perceptual_hash, id) WHERE perceptual_hash IS NOT NULL;
