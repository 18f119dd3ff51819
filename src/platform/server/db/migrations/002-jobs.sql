-- Background jobs. A finished job leaves no row; a failed one stays until an administrator retries or dismisses it.

CREATE TABLE jobs (
  id ID,
  kind TEXT NOT NULL,
  -- Two waiting jobs of a kind never share a key, so asking twice is harmless.
  key TEXT,
  -- The owner whose turn the job takes; 0 when the job belongs to the server.
  owner_id LONG NOT NULL DEFAULT 0,
  payload TEXT NOT NULL,
  status TEXT NOT NULL,
  run_at TIME NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  leased_until TIME,
  lease TEXT,
  error TEXT,
  created_at TIME NOT NULL,
  updated_at TIME NOT NULL
);
CREATE INDEX jobs_by_turn ON jobs (kind, status, run_at, id);
CREATE INDEX jobs_by_status ON jobs (status, updated_at);
CREATE INDEX jobs_by_owner ON jobs (kind, owner_id, run_at, id) WHERE status = 'waiting';
CREATE UNIQUE INDEX jobs_by_key ON jobs (kind, key) WHERE status = 'waiting';

CREATE TABLE schedules (
  kind TEXT NOT NULL PRIMARY KEY,
  cron TEXT NOT NULL,
  next_run_at TIME NOT NULL
);
