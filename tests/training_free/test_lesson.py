"""The lesson on training-free optimisation beside numbers worked out by hand."""

from fractions import Fraction as F

from grpocheck.verifier.lessons import lesson_named
from grpocheck.verifier.lessons.lesson import told


def test_the_numbers_of_the_lesson() -> None:
    page = told(lesson_named("training-free"))
    facts = {fact.name: fact for fact in page.facts}
    # y doubles: 1/6, 1, 1/3 over 3/2. Best of two: 1 unless no x, then 1/2 unless both z
    assert facts["factor"].value == 2
    assert facts["mean-before"].value == F(1, 6) + F(1, 4)
    assert facts["mean-after"].value == F(1, 9) + F(1, 3)
    assert facts["best-before"].value == 1 - F(5, 6) ** 2 + (F(5, 6) ** 2 - F(1, 3) ** 2) / 2
    assert facts["best-after"].value == 1 - F(8, 9) ** 2 + (F(8, 9) ** 2 - F(2, 9) ** 2) / 2
    assert facts["best-after"].value < facts["best-before"].value
    # rewards 1/2 and 0 deviate by 1/(2 sqrt 2)
    deviation = F(1, 8)
    low = F("0.49999997")
    assert facts["mean-square"].decimals == str(float(low))
    assert abs(deviation / (2 * (F("0.35355339059327") + F(1, 10**8)) ** 2) - low) < F(1, 10**8)


def test_the_answers_by_hand_are_right() -> None:
    first, second = told(lesson_named("training-free")).exercises
    assert first.is_right("2")
    assert not first.is_right("3/2")
    assert second.is_right("2/7")
