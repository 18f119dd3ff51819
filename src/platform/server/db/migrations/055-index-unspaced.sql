-- Chinese and Japanese are written without spaces, so in them every sign may begin a word. Older search documents know
-- only the first signs of each run of them; a job writes these documents again.

INSERT INTO jobs (kind, key, payload, status, run_at, created_at, updated_at)
SELECT 'index-unspaced', 'once', '{}', 'waiting', 0, 0, 0 WHERE EXISTS (SELECT 1 FROM media);
