"""Robots of the benchmark scenes that are not among those that users get by name: declared here as data."""
