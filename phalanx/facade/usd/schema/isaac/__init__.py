"""What scripts import as ``usd.schema.isaac``: the schema of robots."""

from phalanx.facade.usd.schema.isaac import robot_schema

__all__ = ["robot_schema"]
