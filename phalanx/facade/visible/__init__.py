"""What of a stage can be seen, and where it is: prims that are drawn, their geometry, looks and labels, and lights."""

PRODUCTS = "/Render"
"""The prim below which there are those of what is rendered."""
