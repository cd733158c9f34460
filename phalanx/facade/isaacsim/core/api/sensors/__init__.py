"""What scripts import as ``isaacsim.core.api.sensors``."""

from phalanx.facade.submodules import lazily

__getattr__ = lazily(__name__, {"BaseSensor": "base_sensor", "RigidContactView": "rigid_contact_view"})

__all__ = ["BaseSensor", "RigidContactView"]  # pyright: ignore[reportUnsupportedDunderAll]
