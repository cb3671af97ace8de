"""What to do about an endpoint that gave no answer."""

from http import HTTPStatus

from pytest_iwr.gateway.faults import Fault, is_context, is_quota
from pytest_iwr.records import ModelConfig

_KEY = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}


def advise(fault: Fault, config: ModelConfig) -> str:
    """Give a sentence for the user, or nothing where there is nothing to do."""
    complaint = fault.complaint
    if complaint is None:
        return ""
    if is_quota(complaint) or fault.status == HTTPStatus.PAYMENT_REQUIRED:
        return "Add credit or raise the quota there, and run again."
    if fault.status in _KEY:
        return f"See that {config.key_env or 'the key'} holds a key that may use it."
    if fault.status == HTTPStatus.NOT_FOUND:
        return f"See that `model: {config.model}` and `base_url` are right."
    is_large = fault.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    if is_large or (fault.kind == "final" and is_context(complaint)):
        return "Send less: set `limits` and `context_tokens` of the model."
    return ""
