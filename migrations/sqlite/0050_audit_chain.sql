-- A place in the chain knows the latest time that the chain had passed there; a checkpoint names the key that signed it.
ALTER TABLE audit_chain ADD COLUMN newest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE audit_checkpoints ADD COLUMN public_key TEXT NOT NULL DEFAULT '';
CREATE TRIGGER audit_checkpoints_no_update BEFORE UPDATE ON audit_checkpoints BEGIN SELECT RAISE(ABORT, 'audit checkpoints are append-only'); END;
CREATE TRIGGER audit_checkpoints_no_delete BEFORE DELETE ON audit_checkpoints BEGIN SELECT RAISE(ABORT, 'audit checkpoints are append-only'); END;
