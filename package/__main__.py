"""``python -m grpocheck`` is the command ``grpocheck``."""

from grpocheck.verifier.cli import main

if __name__ == "__main__":
    main()
