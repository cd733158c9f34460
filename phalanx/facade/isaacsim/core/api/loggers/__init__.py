"""What scripts import as ``isaacsim.core.api.loggers``."""

from phalanx.facade.isaacsim.core.api.loggers.data_logger import DataLogger

__all__ = ["DataLogger"]
