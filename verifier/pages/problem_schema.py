"""The JSON Schema of problem files, made from the tables of the reader; editors of TOML check and complete with it.

    python -m grpocheck.verifier.pages.problem_schema docs/problem.schema.json

It says which keys there are, which are needed, and what kind of value each takes. What depends on several keys at once
(masses that sum to 1, a theta as long as the family needs) only the reader says.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grpocheck.core.domains import KEYS as DOMAIN_KEYS
from grpocheck.core.reading import FAMILIES, KEYS, NEEDED
from grpocheck.core.values import WRITTEN
from grpocheck.verifier.failures import BAD_INPUT, say
from grpocheck.verifier.files import write_text

NUMBER = {"$ref": "#/$defs/number"}
NUMBERS = {"type": "array", "items": NUMBER}
ROWS = {"type": "array", "items": NUMBERS}
TEXTS = {"type": "array", "items": {"type": "string"}, "minItems": 1}
BARRED = {"type": "array", "items": {"type": "string"}}
BOUNDS = {"type": "array", "items": {"anyOf": [NUMBER, {"enum": ["inf", "-inf"]}]}}

DOMAIN_VALUES: Mapping[str, Any] = {
    "dimension": {"type": "integer", "minimum": 1},
    "lower": BOUNDS,
    "upper": BOUNDS,
    "centre": NUMBERS,
    "radius": NUMBER,
    "normals": ROWS,
    "offsets": NUMBERS,
    "sizes": {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1},
    "parts": {"type": "array", "items": {"$ref": "#/$defs/domain"}, "minItems": 1},
}

VALUES: Mapping[str, Any] = {
    "group_size": {"description": "G responses drawn for each prompt", "type": "integer", "minimum": 2},
    "outer_iterations": {"description": "T", "type": "integer", "minimum": 1},
    "inner_steps": {"description": "K guarded gradient steps", "type": "integer", "minimum": 1},
    "epsilon": {"description": "the clip range is [1 - epsilon, 1 + epsilon]; 0 < epsilon < 1", **NUMBER},
    "beta": {"description": "weight of KL(pi_theta || pi_ref), reward units per nat; at least 0", **NUMBER},
    "theta": {"description": "the parameter to begin with, inside the domain", **NUMBERS},
    "family": {"enum": list(FAMILIES)},
    "prompts": {"type": "array", "items": {"$ref": "#/$defs/prompt"}, "minItems": 1},
    "step_size": {"description": "one step size for all steps, above 0; or step_sizes", **NUMBER},
    "step_sizes": {"description": "T rows of K step sizes", **ROWS},
    "domain": {"$ref": "#/$defs/domain"},
    "generation": {"$ref": "#/$defs/generation"},
    "draws": {"$ref": "#/$defs/draws"},
}

KEYED = {"type": "object", "additionalProperties": NUMBER}


def mapping_schema(values: Mapping[str, Any], required: Sequence[str] = ()) -> dict[str, Any]:
    """A table with these keys and no other."""
    return {"type": "object", "required": list(required), "additionalProperties": False, "properties": dict(values)}


def domain_schema() -> dict[str, Any]:
    """A [domain] table: for each kind its keys, all of them."""
    return {
        "anyOf": [
            mapping_schema({"kind": {"const": kind}, **{key: DOMAIN_VALUES[key] for key in keys}}, ("kind", *keys))
            for kind, keys in DOMAIN_KEYS.items()
        ]
    }


def schema() -> dict[str, Any]:
    """The schema of a problem file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A problem of grpocheck",
        "description": "Numbers are exact: a decimal is the rational that it writes (0.2 is 1/5).",
        **mapping_schema({key: VALUES[key] for key in KEYS}, NEEDED),
        "anyOf": [{"required": ["step_size"]}, {"required": ["step_sizes"]}],
        "$defs": {
            "number": {
                "description": 'an exact number: 1, 0.25, 1e-3 or "1/3"',
                "anyOf": [{"type": "number"}, {"type": "string", "pattern": f"^{WRITTEN.pattern}$"}],
            },
            "prompt": mapping_schema(
                {
                    "name": {"type": "string"},
                    "responses": {"description": "the ordered support", **TEXTS},
                    "response_set": {"description": "the support and responses of mass 0", **TEXTS},
                    "rewards": {"anyOf": [NUMBERS, KEYED]},
                    "reference": {"description": "masses, positive, with sum 1", "anyOf": [NUMBERS, KEYED]},
                    "features": {"description": "log-linear: a row for each response", **ROWS},
                },
                ("name", "rewards", "reference"),
            ),
            "domain": domain_schema(),
            "generation": mapping_schema(
                {
                    "vocabulary": TEXTS,
                    "end": {"type": "string"},
                    "horizon": {"type": "integer", "minimum": 1},
                    "parameterisation": {"enum": ["logits", "masses"]},
                    "forbidden": {"description": "prefix: tokens", "type": "object", "additionalProperties": BARRED},
                },
                ("vocabulary", "end", "horizon", "parameterisation"),
            ),
            "draws": mapping_schema(
                {
                    "seed": {"type": "integer", "minimum": 0},
                    "recorded": {
                        "description": "[outer iteration][prompt][i]",
                        "type": "array",
                        "items": {"type": "array", "items": TEXTS},
                    },
                }
            ),
        },
    }


def main(arguments: Sequence[str]) -> int:
    """Write the schema to the path that is given."""
    if len(arguments) != 1:
        say("usage: python -m grpocheck.verifier.pages.problem_schema FILE")
        return BAD_INPUT
    write_text(Path(arguments[0]), json.dumps(schema(), indent=2, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
