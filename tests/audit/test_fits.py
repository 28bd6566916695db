"""What a departing loss fits is said with what of it settings do not have."""

from grpocheck.verifier.audit.fits import fit_of
from grpocheck.verifier.recompute import LossSettings

DECLARED = LossSettings(beta=0.04, maximum_length=20)


def test_only_what_differs_is_said() -> None:
    assert fit_of(DECLARED, DECLARED) == "grpo token epsilon=0.2 epsilon_high=0.2 beta=0.04"
    for other, words in (
        (LossSettings(beta=0.04, penalty="k1"), " kl=k1"),
        (LossSettings(beta=0.04, kl_weight="ratio"), " kl_weight=ratio"),
        (LossSettings(beta=0.04, top_entropy_quantile=0.5), " top_entropy_quantile=0.5"),
    ):
        assert fit_of(other, DECLARED) == fit_of(DECLARED, DECLARED) + words


def test_an_estimator_without_weight_is_no_difference() -> None:
    assert fit_of(LossSettings(penalty="k1"), DECLARED) == "grpo token epsilon=0.2 epsilon_high=0.2"


def test_a_maximum_length_that_divides() -> None:
    words = fit_of(LossSettings(loss_type="dr_grpo", maximum_length=10), DECLARED)
    assert words == "dr_grpo token epsilon=0.2 epsilon_high=0.2 max_completion_length=10"
