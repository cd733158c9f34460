"""The CPU: how kernels are compiled for it, and how programs run."""
