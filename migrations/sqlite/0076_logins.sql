-- PostgreSQL's logins have no counterpart here.
SELECT 1;
