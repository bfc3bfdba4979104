"""Runs the second implementation over a batch: standard input is a JSON list, standard output one result for each item.

An item is {"case": ...} (all identities), {"policy": ...} or {"evidence": ...}; a result is {"ok": ...} or
{"refused": reason}. One process serves hundreds of cases, so a test run pays for Python's start once.
"""
import json, pathlib, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "vectors"))
import reference


def answer(item):
    try:
        if "case" in item:
            return {"ok": reference.identities(item["case"])}
        if "policy" in item:
            return {"ok": {"policyId": reference.policy_id(item["policy"])}}
        return {"ok": {"evidenceId": reference.evidence_id(item["evidence"])}}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        return {"refused": f"{type(error).__name__}: {error}"}


json.dump([answer(item) for item in json.loads(sys.stdin.buffer.read())], sys.stdout)
