"""What scripts import as ``isaacsim.robot_motion``: what plans and makes motions of robots."""
