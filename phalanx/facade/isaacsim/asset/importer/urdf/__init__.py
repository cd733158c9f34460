"""What scripts import as ``isaacsim.asset.importer.urdf``: robots of URDF files, read, changed and put on the stage.

Commands do the same: ``URDFCreateImportConfig``, ``URDFParseFile``, ``URDFParseText``, ``URDFImportRobot`` and
``URDFParseAndImportFile`` of :mod:`omni.kit.commands`.
"""
