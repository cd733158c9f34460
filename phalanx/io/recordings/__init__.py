"""Recordings: what files of others may say, before anything is opened."""
