-- Whose work it is (0: nobody's), so that everybody's has its turn.

ALTER TABLE jobs ADD COLUMN owner_id LONG NOT NULL DEFAULT 0;
CREATE INDEX jobs_by_owner ON jobs (kind, owner_id, run_at, id) WHERE status = 'waiting';
