"""What scripts import as ``isaaclab_contrib.assets``: multirotors."""

from phalanx.facade.isaaclab_contrib.assets.multirotor import Multirotor, MultirotorCfg, MultirotorData

__all__ = ["Multirotor", "MultirotorCfg", "MultirotorData"]
