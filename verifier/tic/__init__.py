"""TIC-GRPO and its rivals: worst cases found by search, how they grow, and what moves with length, group and scale."""
