"""GPUs: how kernels are compiled for them, and how programs run."""
