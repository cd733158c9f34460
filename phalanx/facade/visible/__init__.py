"""What of a stage can be seen, and where it is: prims that are drawn, their geometry, looks and labels, and lights."""
