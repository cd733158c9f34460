"""How many prims a stage will have, from its layers alone: composing it can take all memory there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from phalanx.io.formats.usd.bindings import Sdf
from phalanx.io.reading.boundary import of_file
from phalanx.io.reading.sizes import expanded

Part = tuple[str, str]
"""A layer, by its identifier, and the path of a prim in it; the empty path is the layer."""


def check_size(root: Any, layers: Mapping[str, Any]) -> None:
    """Refuse a stage of too many prims, with what references, payloads, inherits, variants bring along each time.

    Args:
        root: the root layer.
        layers: all layers that it leads to, by what they are called in it and by their identifiers.

    Raises:
        LoadError: there would be too many, or too deep.
    """

    def found(name: str, layer: Any) -> Any:
        if not name:
            return layer
        return layers.get(name) or layers.get(Sdf.ComputeAssetPathRelativeToLayer(layer, name))

    def in_layer(layer: Any, path: str) -> Iterable[Part]:
        """The layer's prim, or those of its sublayers."""
        open_, seen = [layer], set()
        while open_:
            each = open_.pop()
            if each is None or each.identifier in seen:
                continue
            seen.add(each.identifier)
            if each.GetPrimAtPath(path):
                yield each.identifier, path
            open_ += [found(name, each) for name in each.subLayerPaths]

    def inside(part: Part) -> Iterable[tuple[Part, int]]:
        name, path = part
        layer = layers[name]
        if not path:
            for prim in layer.rootPrims:
                yield (name, str(prim.path)), 1
            for below in layer.subLayerPaths:
                other = found(below, layer)
                if other is not None:
                    yield (other.identifier, ""), 1
            return
        spec = layer.GetPrimAtPath(path)
        if not spec:
            return
        for child in spec.nameChildren:
            yield (name, str(child.path)), 1
        for variants in spec.variantSets.values():
            for variant in variants.variants.values():
                yield (name, str(variant.primSpec.path)), 1
        for arcs in (spec.referenceList, spec.payloadList):
            for arc in arcs.GetAddedOrExplicitItems():
                other = found(arc.assetPath, layer)
                if other is not None:
                    target = str(arc.primPath) or (f"/{other.defaultPrim}" if other.defaultPrim else "")
                    if target:
                        yield from ((one, 1) for one in in_layer(other, target))
        for arcs in (spec.inheritPathList, spec.specializesList):
            for arc in arcs.GetAddedOrExplicitItems():
                yield from ((one, 1) for one in in_layer(layer, str(arc)))

    known = {layer.identifier: layer for layer in layers.values()}
    layers = {**layers, **known}
    expanded((root.identifier, ""), inside, "prims", of_file(root.identifier), circles=False)
