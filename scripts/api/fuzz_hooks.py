"""What schemathesis is told about the API beyond its description, and what it must not do. See fuzz.toml."""
import os

import schemathesis

# The keys that the run asks with, and their tenants: to revoke one of them would end the run early.
PROTECTED = set(os.environ["HARDWON_PROTECTED"].split())


@schemathesis.hook
def before_call(context, case, kwargs):
    for name, value in (case.path_parameters or {}).items():
        if value in PROTECTED and case.method != "GET":
            case.path_parameters[name] = "none"
    case.body = settle_numbers(case.body)


def settle_numbers(value):
    """JSON Schema takes 1.0 for an integer; programs that are asked for one send 1."""
    if isinstance(value, dict):
        return {name: settle_numbers(it) for name, it in value.items()}
    if isinstance(value, list):
        return [settle_numbers(it) for it in value]
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_whole else value
