"""What every claim rests on, checked for itself: numbers, problem files, traces, the variants' formulas."""
