-- Items are visited in the order of their changes, so that their words' meaning follows.

CREATE INDEX media_by_change ON media (updated_at, id);
