"""``torchrun --nproc-per-node=N -m phalanx.train TASK ...``: ``phalanx train``, as each rank runs it."""

import sys

from phalanx.commands.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", *sys.argv[1:]]))
