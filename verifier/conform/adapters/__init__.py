"""Trainers whose own code is under test: TRL, verl, OpenRLHF, as they are installed."""
