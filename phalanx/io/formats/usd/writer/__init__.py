"""Writes models of robots as USD: UsdPhysics, and the attributes of PhysX by their names.

What :mod:`phalanx.io.formats.usd` reads of it is the same robot. Laid out as Isaac's importers do it: links as Xforms
below the robot's prim, each with ``visuals`` and ``collisions`` below; joints in a scope of their own; the articulation
root is the joint that holds a fixed base, or the root link.
"""

from phalanx.io.formats.usd.writer.robot import save_stage, write_robot
from phalanx.io.formats.usd.writer.writing import Written

__all__ = ["Written", "save_stage", "write_robot"]
