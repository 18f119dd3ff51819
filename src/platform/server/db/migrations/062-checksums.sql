-- What a ZIP file says of each of its files, of those that were read through for a backup: a download compares with it
-- instead of hashing.

ALTER TABLE blobs ADD COLUMN crc32 LONG;
