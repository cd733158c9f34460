"""What scripts import as ``isaacsim.robot.policy``: robots that are controlled by networks."""
