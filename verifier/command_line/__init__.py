"""The commands as typer sees them, one module each: arguments, options and help."""
