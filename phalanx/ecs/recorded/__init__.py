"""Straight-line programs for GPUs: systems run while their kernel is written."""
