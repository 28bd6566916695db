"""The loss functions under test as one kind of black box: arrays in, a value and a gradient out.

A target of torch is differentiated by autograd. One of numpy may return (loss, gradient); if it returns the loss alone,
its gradient is seen through its values at moved inputs, which are compared like any other value.
"""

from __future__ import annotations

import importlib
import inspect
import math
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from grpocheck.core.received import error_in_words, in_a_line
from grpocheck.verifier.conform.inputs import Case, in_format
from grpocheck.verifier.failures import BadOption, installed_with
from grpocheck.verifier.importing import named_object
from grpocheck.verifier.recompute.bounded import Array

PARAMETERS = "(new_logps, old_logps, ref_logps, advantages or rewards, mask)"
ARRAYS = ("auto", "torch", "numpy")
FORMATS = {"torch": ("float32", "float64", "bfloat16", "float16"), "numpy": ("float64", "float32")}
"""The float formats that a loss may be called with."""
NOT_THE_LOSS = ("grpocheck", "torch", "numpy")
"""The packages whose lines say nothing of where in a loss an error came up."""
MOST_OF_A_PLACE = 300
"""The most characters of a file and a line."""


@dataclass(frozen=True)
class Answer:
    """What a target made of a case; ``gradient`` is by the current log-probabilities, None where it gives none.

    ``raised`` says what it raised instead.
    """

    loss: float
    gradient: Array | None
    raised: str | None = None


@dataclass(frozen=True)
class Target:
    """A loss function; ``precision`` is the format in which it computes."""

    name: str
    function: Callable[..., Any]
    kind: str
    precision: str
    wants_rewards: bool = False
    takes_group_size: bool = False
    group_size: int = 4

    def answer(self, case: Case) -> Answer:
        """The value and the gradient on a case; what it raises is an answer, too."""
        case = in_format(case, self.precision)
        try:
            return self._torch_answer(case) if self.kind == "torch" else self._numpy_answer(case)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever somebody's function raises, SystemExit too
            return Answer(math.nan, None, error_in_words(error) + _place_of(error))

    def _options(self, case: Case) -> dict[str, Any]:
        return {"group_size": case.group_size} if self.takes_group_size else {}

    def _torch_answer(self, case: Case) -> Answer:
        import torch

        dtype = getattr(torch, self.precision)

        def tensor(values: Array) -> Any:
            return torch.tensor(np.ascontiguousarray(values), dtype=dtype)

        new = tensor(case.new).requires_grad_(True)
        given = case.rewards if self.wants_rewards else case.advantages
        found = self.function(
            new, tensor(case.old), tensor(case.ref), tensor(given), tensor(case.mask), **self._options(case)
        )
        loss = found[0] if isinstance(found, tuple | list) else found
        _some(loss)
        if not isinstance(loss, torch.Tensor):
            loss = torch.tensor(float(loss), dtype=dtype)
        if loss.numel() != 1:
            raise ValueError(f"a loss of shape {tuple(loss.shape)}: expected one number")
        gradient = None
        if loss.requires_grad:
            (gradient,) = torch.autograd.grad(loss.reshape(()), [new], allow_unused=True)
        made = np.zeros(case.shape) if gradient is None else gradient.detach().to(torch.float64).numpy()
        return Answer(float(loss.detach()), made)

    def _numpy_answer(self, case: Case) -> Answer:
        dtype = np.dtype(self.precision)
        given = case.rewards if self.wants_rewards else case.advantages
        arrays = [np.array(values, dtype=dtype) for values in (case.new, case.old, case.ref, given, case.mask)]
        with np.errstate(all="ignore"):
            found = self.function(*arrays, **self._options(case))
        gradient = None
        if isinstance(found, tuple | list):
            found, *rest = found
            if rest and np.shape(rest[0]) == case.shape:
                gradient = _real("gradient", rest[0])
        _some(found)
        if np.size(found) != 1:
            raise ValueError(f"a loss of shape {np.shape(found)}: expected one number")
        return Answer(float(_real("loss", found).reshape(())), gradient)


def _place_of(error: BaseException) -> str:
    """The file and line, in the package of the loss, where an error came up; nothing of one that none of it raised."""
    frames = [
        (str(frame.f_globals.get("__name__")).split(".")[0], frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    frames = [frame for frame in frames if frame[0] not in NOT_THE_LOSS]
    if not frames:
        return ""
    file, line = [frame[1:] for frame in frames if frame[0] == frames[0][0]][-1]
    return in_a_line(f" (at {file}:{line})", MOST_OF_A_PLACE)


def _real(what: str, values: object) -> Array:
    """The float64 numbers that a loss or a gradient is; raises ValueError for texts, truths and complex numbers."""
    made = np.asarray(values)
    if made.dtype.kind in "bcSU":
        raise ValueError(f"a {what} of {made.dtype.name}: expected real numbers")
    return np.asarray(made, dtype=np.float64)


def _some(loss: object) -> None:
    """Raise ValueError where there is no loss."""
    if loss is None:
        raise ValueError("it returned None: expected one number")


def loaded(text: str) -> Callable[..., Any]:
    """The callable that ``module:function`` names, from the working directory or what is installed."""
    expected = f"module:function, a callable on {PARAMETERS}"
    wanted = expected if ":" in text else f"{expected}, or trl, verl, openrlhf"
    found = named_object("TARGET", text, wanted)
    if not callable(found):
        raise BadOption("TARGET", text, "it is not callable", expected)
    made: Callable[..., Any] = found
    return made


def target_of(
    function: Callable[..., Any],
    name: str | None = None,
    arrays: str = "auto",
    precision: str | None = None,
    group_size: int = 4,
) -> Target:
    """A callable as a target: of torch or of numpy, of advantages or of rewards, as its own names say.

    Arrays are [B responses, T positions] of log-probabilities in nats. Raises BadOption for a function that cannot be
    called so, and for arrays or a precision that there are none of.
    """
    if arrays not in ARRAYS:
        raise BadOption("--arrays", arrays, "there are no such arrays", "auto, torch or numpy")
    kind = ("torch" if _knows_torch(function) else "numpy") if arrays == "auto" else arrays
    if kind == "torch":
        try:
            importlib.import_module("torch")
        except ImportError as error:
            what = name or "a function of torch"
            raise BadOption("TARGET", what, "torch is not installed", installed_with("trl")) from error
    names = _parameters(function)
    _check_call(function, name, {"group_size": group_size} if "group_size" in names else {})
    chosen = precision or ("float32" if kind == "torch" else "float64")
    if chosen not in FORMATS[kind]:
        raise BadOption("--precision", chosen, f"no format of {kind} here", f"one of {', '.join(FORMATS[kind])}")
    return Target(
        name or str(getattr(function, "__qualname__", type(function).__name__)),
        function,
        kind,
        chosen,
        wants_rewards=len(names) > 3 and "reward" in names[3],
        takes_group_size="group_size" in names,
        group_size=group_size,
    )


def _parameters(function: Callable[..., Any]) -> Sequence[str]:
    """The names of a callable's parameters, where it tells them."""
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def _check_call(function: Callable[..., Any], name: str | None, options: dict[str, Any]) -> None:
    """Raise BadOption for a callable that cannot be called on five arrays, where it tells its parameters."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*range(5), **options)
    except TypeError as error:
        known = name or str(getattr(function, "__qualname__", type(function).__name__))
        raise BadOption("TARGET", known, f"it takes {signature}: {error}", "a callable on " + PARAMETERS) from error


def _knows_torch(function: Callable[..., Any]) -> bool:
    """Whether a callable, or a function that it calls by name, speaks of torch; numpy if it speaks of that alone."""
    waiting, seen, modules = [_code_of(function)], set[int](), set[str]()
    while waiting:
        found = waiting.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        for value in _named_in(found):
            home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            modules.add(str(home).split(".")[0])
            if callable(value) and str(home).split(".")[0] not in ("torch", "numpy"):
                waiting.append(_code_of(value))
    return "torch" in modules or ("numpy" not in modules and "torch" in sys.modules)


def _code_of(function: Any) -> Any:
    """The Python function behind a callable: unwrapped, of a partial, of an object's call, of a module's forward."""
    function = inspect.unwrap(function) if callable(function) else function
    while hasattr(function, "func"):
        function = inspect.unwrap(function.func)
    for name in ("forward", "__call__"):
        if not hasattr(function, "__code__"):
            function = getattr(function, name, function)
    return getattr(function, "__func__", function) if hasattr(function, "__code__") else None


def _named_in(function: Any) -> list[Any]:
    """The values of the global names, and of the closed-over ones, that a function's code mentions."""
    codes, names = [function.__code__], set[str]()
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes.extend(const for const in code.co_consts if inspect.iscode(const))
    values = [function.__globals__[name] for name in names if name in function.__globals__]
    modules = [value for value in values if isinstance(value, ModuleType)]
    values += [vars(module)[name] for module in modules for name in names if name in vars(module)]  # module.name
    return values + [cell.cell_contents for cell in function.__closure__ or ()]
