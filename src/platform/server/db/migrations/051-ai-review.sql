-- A run whose findings a person looks at before they are written, and who asks an endpoint about which bytes.

ALTER TABLE ai_runs ADD COLUMN is_review INTEGER NOT NULL DEFAULT 0;

-- What was found and by whom, as JSON.
ALTER TABLE ai_run_items ADD COLUMN proposal TEXT;
-- What the person does not want of them, as JSON; nothing while all is wanted.
ALTER TABLE ai_run_items ADD COLUMN choice TEXT;

-- The same bytes are not sent twice at the same time, by no two processes.
CREATE TABLE ai_claims (
  sha256 TEXT NOT NULL PRIMARY KEY,
  holder TEXT NOT NULL,
  held_until TIME NOT NULL
);
