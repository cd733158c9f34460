"""Who sleeps, who wakes, and how sleepers are kept still."""
