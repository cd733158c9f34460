"""What scripts import as ``isaacsim.robot.policy.examples``. The robots' networks are NVIDIA's, and are not here."""
