"""``python -m phalanx``."""

import sys

from phalanx.commands.cli import main

if __name__ == "__main__":
    sys.exit(main())
