"""What scripts import as ``isaacsim.robot.policy.examples``. Its robots' networks are NVIDIA's, and are not here."""
