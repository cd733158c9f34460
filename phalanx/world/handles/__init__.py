"""What users read and write: robots, rigid objects, joints, contact views."""
