"""Requests of the page, by subject: tables, study of records and positions, small games."""
