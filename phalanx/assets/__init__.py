"""Files of robots and objects under the paths where scripts written for Isaac Lab look for them.

NVIDIA's own files lie on its servers. :mod:`phalanx.assets.fetching` fetches them, where a user asks for it;
:mod:`phalanx.assets.building` writes stand-ins: the same joints and bodies by the same names, with kinematics, masses
and inertias from published descriptions, and simple shapes. Both put them below one folder, :func:`folder`.

May use everything that reads and writes files; worlds and the engine know nothing of it.
"""

from phalanx.assets.places import folder

__all__ = ["folder"]
