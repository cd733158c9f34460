"""APIs that scripts written for Isaac Lab know, over the engine.

docs/isaaclab.md says what is there. Modules are called ``phalanx.facade.isaaclab`` and so on;
after :func:`install` also ``isaaclab`` and so on, the very same module objects. What a documented signature calls a
tensor is an array of the API chosen by :func:`set_array_api`.

May use everything else in the package; nothing else in the package uses it.
"""

from phalanx.facade.aliases import install, serve_old_names
from phalanx.facade.arrays import ArrayAPIError, array_api, set_array_api

serve_old_names()

__all__ = ["ArrayAPIError", "array_api", "install", "set_array_api"]
