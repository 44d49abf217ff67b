"""``python -m palate`` is the command line."""

import subprocess
import sys

from ._binary import find_binary

if __name__ == "__main__":
    try:
        sys.exit(subprocess.call([str(find_binary()), *sys.argv[1:]]))
    except KeyboardInterrupt:
        sys.exit(130)
