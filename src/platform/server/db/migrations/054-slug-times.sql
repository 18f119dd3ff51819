-- When an address was taken last: an item that goes public again comes back at the one it had, not at the first it ever had.

ALTER TABLE slugs ADD COLUMN taken_at TIME NOT NULL DEFAULT 0;
UPDATE slugs SET taken_at = 1 WHERE kind = 'media'
  AND EXISTS (SELECT 1 FROM media WHERE media.id = slugs.target_id AND media.public_slug = slugs.slug);
