"""What casts rays: patterns so far."""
