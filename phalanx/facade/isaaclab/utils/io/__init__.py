"""Configurations in files."""

from phalanx.facade.isaaclab.utils.io.pkl import dump_pickle, load_pickle
from phalanx.facade.isaaclab.utils.io.yaml import dump_yaml, load_yaml

__all__ = ["dump_pickle", "dump_yaml", "load_pickle", "load_yaml"]
