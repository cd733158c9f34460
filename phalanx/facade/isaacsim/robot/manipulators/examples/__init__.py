"""Robots of Isaac Sim's own examples, with their controllers and tasks."""
