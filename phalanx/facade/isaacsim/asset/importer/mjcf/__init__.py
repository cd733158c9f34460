"""What scripts import as ``isaacsim.asset.importer.mjcf``: robots of MJCF files on the stage.

Commands do the same: ``MJCFCreateImportConfig`` and ``MJCFCreateAsset`` of :mod:`omni.kit.commands`.
"""
