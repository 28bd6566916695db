"""Write grpocheck-groups from a loop of one's own, a line for each group: write_groups.py > run.jsonl.

What to watch: grpocheck audit run.jsonl finds the third group, whose rewards are equal and whose advantages are not 0.
They are the residue of a mean of float32 numbers, divided by a deviation of residues + 1e-4.
"""

import json
import struct


def float32(number: float) -> float:
    """The float32 nearest to a number, as a float."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def advantages(rewards: list[float]) -> list[float]:
    """(R - mean) / (sample deviation + 1e-4), each operation rounded to float32."""
    total = 0.0
    for reward in rewards:
        total = float32(total + reward)
    mean = float32(total / len(rewards))
    differences = [float32(reward - mean) for reward in rewards]
    squares = 0.0
    for difference in differences:
        squares = float32(squares + float32(difference * difference))
    deviation = float32(float32(squares / (len(rewards) - 1)) ** 0.5)
    return [float32(difference / float32(deviation + 1e-4)) for difference in differences]


def main() -> None:
    """A header, and a line for each of three groups."""
    print(json.dumps({"format": "grpocheck-groups", "version": 1, "settings": {"scale_rewards": "group"}}))
    third = float32(float32(0.1) + float32(1 / 3))
    groups = [("2 + 2 =", [1, 0, 0, 1, 0, 0]), ("say g 0", [0.5, 0.25, 0, 0, 0, 0.25]), ("count 1", [third] * 6)]
    for step, (prompt, rewards) in enumerate(groups):
        line = {"step": step, "prompt": prompt, "rewards": rewards, "advantages": advantages(rewards)}
        print(json.dumps(line))


if __name__ == "__main__":
    main()
