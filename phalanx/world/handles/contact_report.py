"""Contacts of the last substep, as arrays."""

from __future__ import annotations

from typing import Any

from phalanx import components as c
from phalanx.world.engine.engine import Engine


def contacts(engine: Engine) -> dict[str, Any]:
    """Contact slots of every environment, on the world's device; only the first ``count`` of each hold contacts.

    ``count`` (n,); ``shape_a``, ``shape_b`` (n, slots), rows of the table of shapes; ``normal`` (n, slots, 3), unit,
    from b to a, world; ``separation`` (n, slots), m; ``normal_force`` (n, slots), N; ``force`` (n, slots, 3), N, with
    friction, on a, world. Slots that hold no contact are zero.
    """
    engine.build()
    store, xp = engine.store, engine.device.xp
    with store.active():
        count = xp.array(store.view(c.ContactCount.current)[0])

        def read(field: Any) -> Any:
            values = xp.moveaxis(store.view(field), -1, 0)
            used = xp.arange(values.shape[1])[None] < count[:, None]
            return xp.where(used.reshape(*used.shape, *(1,) * (values.ndim - 2)), values, 0)

        normal, tangent, impulse = (
            read(f) for f in (c.ContactPoint.normal, c.ContactPoint.tangent, c.ContactImpulse.value)
        )
        other = xp.cross(normal, tangent)
        per_second = engine.substeps / engine.dt
        force = impulse[..., :1] * normal + impulse[..., 1:2] * tangent + impulse[..., 2:] * other
        return {
            "count": count,
            "shape_a": read(c.ContactPoint.a),
            "shape_b": read(c.ContactPoint.b),
            "normal": normal,
            "separation": read(c.ContactPoint.separation),
            "normal_force": impulse[..., 0] * per_second,
            "force": force * per_second,
        }
