"""Multirotors: articulations that thrusters push."""

from phalanx.facade.isaaclab_contrib.assets.multirotor.multirotor import Multirotor
from phalanx.facade.isaaclab_contrib.assets.multirotor.multirotor_cfg import MultirotorCfg
from phalanx.facade.isaaclab_contrib.assets.multirotor.multirotor_data import MultirotorData

__all__ = ["Multirotor", "MultirotorCfg", "MultirotorData"]
