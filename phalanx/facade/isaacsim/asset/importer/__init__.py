"""What scripts import as ``isaacsim.asset.importer``: robots of URDF and MJCF files on the stage."""
