"""Functions on NumPy arrays, all in one: rotations, mathematics, making and copying arrays, transformations.

``device`` is there so that calls are the same as those of :mod:`..torch`; arrays are on the CPU.
"""

from phalanx.facade.isaacsim.core.utils.numpy.maths import *  # noqa: F403
from phalanx.facade.isaacsim.core.utils.numpy.rotations import *  # noqa: F403
from phalanx.facade.isaacsim.core.utils.numpy.tensor import *  # noqa: F403
from phalanx.facade.isaacsim.core.utils.numpy.transformations import *  # noqa: F403
