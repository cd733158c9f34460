"""Functions on torch tensors, all in one: rotations, mathematics, making and copying tensors, transformations.

The modules can be imported without torch; what is called then says what to install.
"""

from phalanx.facade.isaacsim.core.utils.torch.maths import *  # noqa: F403
from phalanx.facade.isaacsim.core.utils.torch.rotations import *  # noqa: F403
from phalanx.facade.isaacsim.core.utils.torch.tensor import *  # noqa: F403
from phalanx.facade.isaacsim.core.utils.torch.transformations import *  # noqa: F403
