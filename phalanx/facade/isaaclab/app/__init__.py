"""What scripts import as ``isaaclab.app``: starting the application, before anything else is imported."""

from phalanx.facade.isaaclab.app.app_launcher import AppLauncher

__all__ = ["AppLauncher"]
