-- How much of the limit of writes one person spends while another is active, and how many confirmations may be open.
ALTER TABLE workspaces ADD COLUMN write_share_percent INTEGER NOT NULL DEFAULT 60;
ALTER TABLE workspaces ADD COLUMN open_confirmations INTEGER NOT NULL DEFAULT 50;
ALTER TABLE workspaces ADD COLUMN open_confirmations_per_caller INTEGER NOT NULL DEFAULT 10;
