"""Frames of videos on the CPU: triangles are drawn with a depth buffer, shadows come from a second one at the sun.

Rays (:mod:`phalanx.rays`) draw what this cannot: transparent and textured surfaces, soft bodies, and bodies that reach
beside the camera. Both have the same lights, looks and colours.
"""
