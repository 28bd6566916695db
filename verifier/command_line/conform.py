"""``grpocheck conform`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.completing import exchanges, targets, variants
from grpocheck.verifier.command_line.options import CallLimit, Isolate, Json

Word = Optional[str]  # noqa: UP045 - typer reads the annotation
Words = Optional[list[str]]  # noqa: UP045
Number = Optional[int]  # noqa: UP045


def conform_command(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="module:function on (new_logps, old_logps, ref_logps, advantages or rewards, mask); "
            "or trl, verl, openrlhf; trl:dapo for some of it.",
            autocompletion=targets,
        ),
    ],
    variant: Annotated[
        Word,
        typer.Option(metavar="NAME", help="The variant that it has to be, such as dr-grpo.", autocompletion=variants),
    ] = None,
    parts: Annotated[
        Words,
        typer.Option(
            "--with", metavar="PART=WORD", help="Exchange a part of it, such as kl=k3.", autocompletion=exchanges
        ),
    ] = None,
    epsilon: Annotated[Word, typer.Option(metavar="NUMBER", help="The clip width, where the variant has none.")] = None,
    beta: Annotated[
        Word, typer.Option(metavar="NUMBER", help="The weight of the KL term; measured if not said.")
    ] = None,
    maximum_length: Annotated[
        Number, typer.Option(min=1, metavar="H", help="What a Dr. GRPO divides by; as it shows itself if not said.")
    ] = None,
    group_size: Annotated[int, typer.Option(min=1, help="Responses of a group, for a loss that takes rewards.")] = 4,
    arrays: Annotated[str, typer.Option(metavar="auto|torch|numpy", help="What the loss is called with.")] = "auto",
    precision: Annotated[
        Word, typer.Option(metavar="FORMAT", help="float32 or float64; of torch bfloat16 or float16, too.")
    ] = None,
    up_to_scale: Annotated[
        bool, typer.Option("--up-to-scale", help="A constant factor and an offset are no departure.")
    ] = False,
    site: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FOLDER", help="Where pip install --target put another version of a trainer."),
    ] = None,
    isolate: Isolate = False,
    call_limit: CallLimit = None,
    json: Json = False,
) -> int:
    """Which objective a loss function computes: the variant, its constants, and the smallest input where it departs.

    Value and gradient by the log-probabilities are compared on the test vectors and on inputs that break losses. What
    lies within the rounding of the loss's own format is float error; what lies outside is another formula.
    """
    from grpocheck.verifier.commands.conform import ConformRequest, conform_target

    return conform_target(
        ConformRequest(
            target=target,
            variant=variant,
            parts=tuple(parts or ()),
            epsilon=epsilon,
            beta=beta,
            maximum_length=maximum_length,
            group_size=group_size,
            arrays=arrays,
            precision=precision,
            up_to_scale=up_to_scale,
            site=site,
            json=json,
            isolate=isolate,
            call_limit=call_limit,
        )
    )
