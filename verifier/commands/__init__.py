"""What the commands do, one module each; imported when the command runs."""
