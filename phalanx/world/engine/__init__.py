"""What runs a world: the store of its fields, the schedule, programs, and what follows upon writes."""
