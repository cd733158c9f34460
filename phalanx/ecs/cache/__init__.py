"""What is kept between processes: compiled kernels, and what else takes long to make.

* :mod:`~phalanx.ecs.cache.folder`: which folder, and why nobody else can have put anything there;
* :mod:`~phalanx.ecs.cache.files`: files with checksums, and what becomes of damaged ones;
* :mod:`~phalanx.ecs.cache.kernels`: Numba's machine code in such files.
"""
