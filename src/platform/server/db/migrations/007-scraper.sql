-- Uploads from the web: recent previews, runs, and the source of each item.

-- Addresses of recent previews, by hash: thumbnails are fetched from these only.
CREATE TABLE scrape_finds (
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  address_key TEXT NOT NULL,
  seen_at TIME NOT NULL,
  PRIMARY KEY (owner_id, address_key)
);
CREATE INDEX scrape_finds_by_time ON scrape_finds (seen_at);

CREATE TABLE scrape_runs (
  id ID,
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- page or urls
  kind TEXT NOT NULL,
  page_url TEXT,
  -- running or complete
  status TEXT NOT NULL,
  total INTEGER NOT NULL,
  is_dismissed INTEGER NOT NULL DEFAULT 0,
  created_at TIME NOT NULL,
  finished_at TIME
);
CREATE INDEX scrape_runs_by_owner ON scrape_runs (owner_id, id DESC);
CREATE INDEX scrape_runs_by_status ON scrape_runs (status, created_at);

CREATE TABLE scrape_items (
  id ID,
  run_id LONG NOT NULL REFERENCES scrape_runs (id) ON DELETE CASCADE,
  address TEXT NOT NULL,
  address_key TEXT NOT NULL,
  -- JSON list of addresses
  alternatives TEXT NOT NULL,
  name TEXT NOT NULL,
  alt TEXT NOT NULL,
  context TEXT NOT NULL,
  -- waiting, done or failed
  status TEXT NOT NULL,
  message TEXT,
  started_at TIME,
  -- Counts up from 1 within the run, in the order in which items ended.
  finished_turn INTEGER,
  UNIQUE (run_id, address_key)
);
CREATE INDEX scrape_items_by_turn ON scrape_items (run_id, finished_turn);
CREATE INDEX scrape_items_by_status ON scrape_items (run_id, status, id);

-- Which address an item of the library came from.
CREATE TABLE scraped_sources (
  owner_id LONG NOT NULL,
  address_key TEXT NOT NULL,
  media_id LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  PRIMARY KEY (owner_id, address_key, media_id)
);
CREATE INDEX scraped_sources_by_media ON scraped_sources (media_id);
