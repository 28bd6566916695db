"""``python -m grpocheck`` is the command ``grpocheck``."""

import sys

INTERRUPTED = 130


def main() -> None:
    """The command; an interrupt while its modules are still being read ends it as any other does."""
    try:
        from grpocheck.verifier.cli import main as command
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    command()


if __name__ == "__main__":
    main()
