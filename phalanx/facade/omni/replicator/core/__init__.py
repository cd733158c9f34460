"""What scripts import as ``omni.replicator.core``: seeds, cameras and their pictures, materials, the basic writer.

docs/isaacsim.md says what is there.
"""

from pathlib import Path
from typing import Any

from phalanx.facade.omni.replicator.core import create, functional, rng, vp_manager
from phalanx.facade.omni.replicator.core.render_products import AnnotatorRegistry
from phalanx.facade.omni.replicator.core.seeds import get_global_seed, set_global_seed
from phalanx.facade.omni.replicator.core.writers import BasicWriter
from phalanx.facade.unbuilt import refuse

# Isaac Lab reads the version of the extension from the name of its folder, five parts from the end.
__file__ = str(Path(__file__).parent / "omni.replicator.core-1.12.27" / "omni" / "replicator" / "core" / "__init__.py")

__all__ = [
    "AnnotatorRegistry",
    "BasicWriter",
    "create",
    "functional",
    "get_global_seed",
    "rng",
    "set_global_seed",
    "vp_manager",
]


def __getattr__(name: str) -> Any:
    raise refuse("omni.replicator.core", name)
