-- 1: what the AI wrote about it was written without knowing where, when and with what it was taken.

ALTER TABLE media ADD COLUMN ai_sees_only INTEGER NOT NULL DEFAULT 0;
