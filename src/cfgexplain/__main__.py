"""``python -m cfgexplain``: the same command as ``cfgexplain``."""

from cfgexplain.cli import main

if __name__ == "__main__":
    main()
