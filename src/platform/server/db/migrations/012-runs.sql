-- Work on many items, one row per run and one per item, so that it outlives a crash, can be stopped and can be undone.

CREATE TABLE runs (
  id ID,
  -- Null for a run that an administrator starts for the whole server.
  owner_id LONG REFERENCES users (id) ON DELETE CASCADE,
  -- Also the kind of its jobs.
  kind TEXT NOT NULL,
  -- Shown in the history.
  title TEXT,
  -- An idempotency key that the client chose.
  key TEXT UNIQUE,
  -- The request, as JSON.
  options TEXT NOT NULL,
  -- running, stopping, stopped, ended or failed
  status TEXT NOT NULL,
  -- The error of a failed run, shown for the items that it did not reach.
  error TEXT,
  total INTEGER NOT NULL,
  -- How many items have ended.
  turns INTEGER NOT NULL DEFAULT 0,
  undone_at TIME,
  -- When its owner dismissed it.
  dismissed_at TIME,
  created_at TIME NOT NULL,
  updated_at TIME NOT NULL
);
CREATE INDEX runs_by_owner ON runs (owner_id, created_at);
CREATE INDEX runs_by_kind ON runs (kind, status, updated_at);

CREATE TABLE run_items (
  run_id LONG NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  -- Set when the row is to be deleted with this item of the library.
  media_id LONG REFERENCES media (id) ON DELETE CASCADE,
  -- The feature's input and result for this item; in a bulk change, the value before and after.
  input TEXT,
  output TEXT,
  -- waiting, found, done, undone, rejected or failed
  state TEXT NOT NULL,
  error TEXT,
  begun_at TIME,
  -- Counts up from 1 within the run, in the order in which items ended.
  turn INTEGER,
  PRIMARY KEY (run_id, position)
);
CREATE INDEX run_items_by_state ON run_items (run_id, state, position);
CREATE INDEX run_items_by_turn ON run_items (run_id, turn);
CREATE INDEX run_items_by_media ON run_items (media_id);

-- The outcome of a request that must not be carried out twice; see [Note: Idempotent requests].
CREATE TABLE request_outcomes (
  id TEXT NOT NULL PRIMARY KEY,
  owner_id LONG NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  outcome TEXT NOT NULL,
  created_at TIME NOT NULL
);
CREATE INDEX request_outcomes_by_owner ON request_outcomes (owner_id);
CREATE INDEX request_outcomes_by_time ON request_outcomes (created_at);
