"""``python -m grpocheck`` is the command ``grpocheck``."""

import sys

INTERRUPTED = 130


def main() -> None:
    """The command; an interrupt before it has begun, while modules are still being read, ends it as any other."""
    try:
        from grpocheck.verifier.cli import main as command

        command()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
