"""Files of robots and scenes: URDF, MJCF and USD to models, and back."""
