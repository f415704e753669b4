#!/usr/bin/env python3
"""Holds reports (attnspec report --format json) against docs/report.schema.json.

usage: check_report_schema.py SCHEMA FILE...   Exit 0 all fit, 1 with a sentence, 77 without jsonschema.
"""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: no jsonschema")
    sys.exit(77)


def refuse(word):
    raise ValueError(f"{word} is no JSON")


def places(value, path=()):
    """Every place in a document where a key can be taken out."""
    if isinstance(value, dict):
        for key in value:
            yield path + (key,)
            yield from places(value[key], path + (key,))
    elif isinstance(value, list) and value:
        yield from places(value[0], path + (0,))


def small(document):
    """The same with one matrix, group, pair or layer: all have the same keys."""
    if isinstance(document, dict):
        return {key: small(value) for key, value in document.items()}
    return [small(document[0])] if isinstance(document, list) and document else document


def without(document, path):
    changed = copy.deepcopy(document)
    at = changed
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return changed


# Members whose keys are free: the schema asks for none of them.
FREE = ("provenance", "b_provenance", "reasons", "spectrum_difference", "config")
# Members that only some reports have.
SOME = (("schemes",),)


def main(schema_path, paths):
    schema = json.load(open(schema_path))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in paths:
        document = json.load(open(path), parse_constant=refuse)
        error = jsonschema.exceptions.best_match(validator.iter_errors(document))
        if error is not None:
            sys.exit(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
        # A schema that takes anything proves nothing: without any one of its keys a report is none,
        # nor with one more.
        document = small(document)
        for key in places(document):
            if key in SOME or key[-1] == "spectrum_difference" or any(word in FREE for word in key[:-1]):
                continue
            if validator.is_valid(without(document, key)):
                sys.exit(f"{path}: the schema does not ask for {'/'.join(map(str, key))}")
        document["further"] = 0
        if validator.is_valid(document):
            sys.exit(f"{path}: the schema takes a key that nobody knows")
    print(f"{len(paths)} reports fit {schema['title']}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
