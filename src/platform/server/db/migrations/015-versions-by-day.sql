-- The administrator's chart adds up the files of each of the last days.
CREATE INDEX media_versions_by_day ON media_versions (owner_id, made_at);
