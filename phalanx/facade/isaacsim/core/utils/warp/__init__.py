"""Functions on arrays of Warp, all in one: rotations, making and copying arrays, transformations.

They are Warp's where the package ``warp-lang`` is installed, else NumPy's on the CPU and CuPy's on a GPU.
"""

from phalanx.facade.isaacsim.core.utils.warp.rotations import *  # noqa: F403
from phalanx.facade.isaacsim.core.utils.warp.tensor import *  # noqa: F403
from phalanx.facade.isaacsim.core.utils.warp.transformations import *  # noqa: F403
