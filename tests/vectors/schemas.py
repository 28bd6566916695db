"""As much of JSON Schema as the schemas in docs use; a keyword that is not known here is an error."""

import re

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}
NUMERIC = {"integer", "number"}
SAID = {"$schema", "title", "description", "$defs"}


def faults(value, schema, root, path="$"):
    """What is wrong with a value, one line each."""
    found = []
    for keyword, wanted in schema.items():
        if keyword in SAID:
            continue
        if keyword == "$ref":
            found += faults(value, root["$defs"][wanted.removeprefix("#/$defs/")], root, path)
        elif keyword == "anyOf":
            if all(faults(value, option, root, path) for option in wanted):
                found.append(f"{path}: {value!r:.60} is none of {len(wanted)} things")
        elif keyword == "oneOf":
            fitting = sum(not faults(value, option, root, path) for option in wanted)
            found += [] if fitting == 1 else [f"{path}: {value!r:.60} is {fitting} of {len(wanted)} things, not one"]
        elif keyword == "type":
            right = any(
                isinstance(value, TYPES[kind]) and not (kind in NUMERIC and isinstance(value, bool))
                for kind in (wanted if isinstance(wanted, list) else [wanted])
            )
            found += [] if right else [f"{path}: {value!r:.60} is no {wanted}"]
        elif keyword == "const":
            found += [] if value == wanted else [f"{path}: {value!r:.60} is not {wanted!r}"]
        elif keyword == "enum":
            found += [] if value in wanted else [f"{path}: {value!r:.60} is not in {wanted}"]
        elif keyword == "pattern":
            found += [] if re.search(wanted, value) else [f"{path}: {value!r:.60} does not match"]
        elif keyword in ("minItems", "maxItems", "minimum"):
            size = value if keyword == "minimum" else len(value)
            fits = size <= wanted if keyword == "maxItems" else size >= wanted
            found += [] if fits else [f"{path}: {keyword} {wanted}, found {size}"]
        elif keyword == "required":
            found += [f"{path}: {key} is missing" for key in wanted if key not in value]
        elif keyword == "items":
            for place, entry in enumerate(value):
                found += faults(entry, wanted, root, f"{path}[{place}]")
        elif keyword == "properties":
            for key, part in wanted.items():
                found += faults(value[key], part, root, f"{path}.{key}") if key in value else []
        elif keyword == "additionalProperties":
            others = set(value) - set(schema.get("properties", {}))
            if wanted is False:
                found += [f"{path}: {key} is not foreseen" for key in sorted(others)]
            else:
                for key in sorted(others):
                    found += faults(value[key], wanted, root, f"{path}.{key}")
        else:
            raise AssertionError(f"a keyword of JSON Schema that is not known here: {keyword}")
        if found and keyword == "type":
            return found
    return found
