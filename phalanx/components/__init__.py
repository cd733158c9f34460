"""Every component: what is stored, with shape, unit and meaning, declared once.

Vectors are in world axes. Velocities, forces and inertias of a link or dof are taken about the origin of its own
link, so that light links far out on a heavy robot keep their digits in float32; positions within a tree are offsets
from its root link, so that nothing is lost far from the world's origin. Positions in the world are relative to each
environment's origin.

Each module declares some tables and their components; all of their public names are names of this package.
"""

from phalanx.components.cloth import *
from phalanx.components.cloth_contact import *
from phalanx.components.cloth_run import *
from phalanx.components.collision_point import *
from phalanx.components.contact import *
from phalanx.components.contact_view import *
from phalanx.components.corotation import *
from phalanx.components.damping import *
from phalanx.components.deformable import *
from phalanx.components.dof import *
from phalanx.components.fluid import *
from phalanx.components.island import *
from phalanx.components.kinematic import *
from phalanx.components.link import *
from phalanx.components.loop import *
from phalanx.components.loop_limit import *
from phalanx.components.mass import *
from phalanx.components.mesh import *
from phalanx.components.node_attachment import *
from phalanx.components.node_contact import *
from phalanx.components.node_tie import *
from phalanx.components.pair import *
from phalanx.components.particle import *
from phalanx.components.particle_touch import *
from phalanx.components.pivot import *
from phalanx.components.query import *
from phalanx.components.reaction import *
from phalanx.components.rope import *
from phalanx.components.sample import *
from phalanx.components.sdf import *
from phalanx.components.shape import *
from phalanx.components.sleep import *
from phalanx.components.spring import *
from phalanx.components.tendon import *
from phalanx.components.torsion import *
from phalanx.components.tree import *
from phalanx.components.world import *
