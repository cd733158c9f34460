"""From a system's source to the text of a kernel, for the CPU and for GPUs."""
