-- Nearly always empty: every list asks whether any file at all is lost.

CREATE INDEX blobs_lost ON blobs (sha256) WHERE state <> 'ok';
