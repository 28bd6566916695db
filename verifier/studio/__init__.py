"""The studio: an interactive page on exact numbers; everything but the page is plain Python and runs without it."""
