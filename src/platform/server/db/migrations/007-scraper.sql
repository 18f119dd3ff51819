-- Uploads from the web: recent previews, and the source of each item.

-- Addresses of recent previews, by hash: thumbnails are fetched from these only.
CREATE TABLE scrape_finds (
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  address_key TEXT NOT NULL,
  seen_at TIME NOT NULL,
  PRIMARY KEY (owner_id, address_key)
);
CREATE INDEX scrape_finds_by_time ON scrape_finds (seen_at);

-- Which address an item of the library came from.
CREATE TABLE scraped_sources (
  owner_id LONG NOT NULL,
  address_key TEXT NOT NULL,
  media_id LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  PRIMARY KEY (owner_id, address_key, media_id)
);
CREATE INDEX scraped_sources_by_media ON scraped_sources (media_id);
