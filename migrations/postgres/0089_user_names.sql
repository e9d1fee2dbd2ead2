-- A user without a display name gets the one in their token. Nothing else of a user changes.
GRANT UPDATE (display_name) ON users TO toolcrib_app;
