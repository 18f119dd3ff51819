-- Results of the AI, vectors for search, and requests to paid providers.

-- The same model never analyzes the same bytes twice.
CREATE TABLE ai_results (
  sha256 TEXT NOT NULL REFERENCES blobs (sha256) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  version TEXT NOT NULL,
  -- Title, description, tags and text, as JSON.
  result TEXT NOT NULL,
  tokens INTEGER NOT NULL DEFAULT 0,
  took_ms INTEGER NOT NULL DEFAULT 0,
  created_at TIME NOT NULL,
  PRIMARY KEY (sha256, provider, model, version)
);
CREATE INDEX ai_results_recent ON ai_results (provider, model, created_at);

-- The image vector of a picture, as int8 numbers: similar pictures point in the same direction.
CREATE TABLE embeddings (
  sha256 TEXT NOT NULL PRIMARY KEY REFERENCES blobs (sha256) ON DELETE CASCADE,
  vector BYTES NOT NULL
);

-- What SigLIP saw in a file, as int8 numbers, to be compared with texts. Ids only grow, so a reader knows which rows are new.
CREATE TABLE seen (
  id ID,
  sha256 TEXT NOT NULL REFERENCES blobs (sha256) ON DELETE CASCADE,
  vector BYTES NOT NULL
);
CREATE UNIQUE INDEX seen_by_file ON seen (sha256);

-- The text vector of an item's words, and the hash of those words.
CREATE TABLE meanings (
  media_id LONG NOT NULL PRIMARY KEY REFERENCES media (id) ON DELETE CASCADE,
  words_hash TEXT NOT NULL,
  vector BYTES NOT NULL
);

-- Vectors reduced to bits, to be compared in memory. Ids only grow, so a reader knows which rows are new.
CREATE TABLE sketches (
  id ID,
  -- picture or words
  kind TEXT NOT NULL,
  media_id LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  owner_id LONG NOT NULL,
  bits BYTES NOT NULL
);
CREATE UNIQUE INDEX sketches_by_media ON sketches (media_id, kind);
CREATE INDEX sketches_by_owner ON sketches (owner_id, kind, id);

CREATE TABLE media_analyses (
  id ID,
  media_id LONG NOT NULL REFERENCES media (id) ON DELETE CASCADE,
  run_key TEXT,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  version TEXT NOT NULL,
  -- What the analysis replaced, as JSON, for a revert.
  replaced TEXT NOT NULL,
  created_at TIME NOT NULL
);
CREATE INDEX media_analyses_by_media ON media_analyses (media_id, id);
CREATE INDEX media_analyses_by_run ON media_analyses (run_key);
CREATE INDEX media_analyses_recent ON media_analyses (created_at);

CREATE TABLE ai_failures (
  media_id LONG NOT NULL PRIMARY KEY REFERENCES media (id) ON DELETE CASCADE,
  code TEXT NOT NULL,
  status INTEGER NOT NULL,
  message TEXT NOT NULL,
  failed_at TIME NOT NULL
);
CREATE INDEX ai_failures_recent ON ai_failures (failed_at);

-- Pictures sent to a paid provider, by month. Owner 0 is the whole server.
CREATE TABLE ai_usage (
  month TEXT NOT NULL,
  owner_id LONG NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (month, owner_id)
);

-- Two processes never send the same bytes at the same time.
CREATE TABLE ai_claims (
  sha256 TEXT NOT NULL PRIMARY KEY,
  holder TEXT NOT NULL,
  held_until TIME NOT NULL
);
