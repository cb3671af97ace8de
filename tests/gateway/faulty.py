"""Faults of endpoints: those that pass, and those that last."""

import json

from pytest_iwr.gateway.mock import Answer, ErrorBody

JSON = "application/json"
GEMINI_BUSY = json.dumps(
    [
        {
            "error": {
                "code": 429,
                "message": "You exceeded your current quota, please check your plan "
                "and billing details.",
                "status": "RESOURCE_EXHAUSTED",
                "details": [
                    {
                        "@type": "type.googleapis.com/google.rpc.RetryInfo",
                        "retryDelay": "0.05s",
                    }
                ],
            }
        }
    ]
)
PASSING = {
    "429 without a word": Answer(status=429),
    "429 in seconds": Answer(status=429, headers={"Retry-After": "0.05"}),
    "429 in milliseconds": Answer(status=429, headers={"retry-after-ms": "50"}),
    "429 with a date": Answer(
        status=429,
        headers={
            "Date": "Wed, 21 Oct 2015 07:28:00 GMT",
            "Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT",
        },
    ),
    "429 with resets": Answer(
        status=429,
        headers={
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": "50ms",
            "x-ratelimit-remaining-tokens": "900",
            "x-ratelimit-reset-tokens": "6m0s",
        },
    ),
    "429 in words": Answer(
        status=429,
        error=ErrorBody(
            message="Rate limit reached. Please try again in 50ms. Visit us.",
            code="rate_limit_exceeded",
        ),
    ),
    "429 by Google": Answer(status=429, body=GEMINI_BUSY, content_type=JSON),
    "429 as HTML": Answer(status=429, body="<h1>Slow</h1>", content_type="text/html"),
    "408": Answer(status=408),
    "409": Answer(status=409),
    "425": Answer(status=425),
    "500": Answer(status=500),
    "502 as HTML": Answer(
        status=502,
        body="<html><h1>502 Bad Gateway</h1></html>",
        content_type="text/html",
    ),
    "503": Answer(status=503),
    "504": Answer(status=504),
    "524": Answer(status=524, body="", content_type="text/plain"),
    "529": Answer(status=529),
    "half a body": Answer(cut_at=0.5),
    "no answer": Answer(drops=True),
    "half of the JSON": Answer(body='{"choices": [{"mess', content_type=JSON),
    "HTML with 200": Answer(body="<html>502</html>", content_type="text/html"),
    "nothing with 200": Answer(body="", content_type=JSON),
    "error JSON with 200": Answer(
        body='{"error": {"message": "upstream overloaded", "code": 503}}',
        content_type=JSON,
    ),
    "error in the choice": Answer(
        body='{"choices": [{"error": {"message": "gone", "code": 502}, '
        '"finish_reason": "error", "message": {"content": "half"}}]}',
        content_type=JSON,
    ),
    "no choices": Answer(body='{"choices": []}', content_type=JSON),
    "null message": Answer(
        body='{"choices": [{"message": null, "finish_reason": "stop"}]}',
        content_type=JSON,
    ),
}
PASSING["error JSON with 200 and no number"] = Answer(
    body='{"error": "The model is overloaded"}', content_type=JSON
)
LASTING = {
    "quota used up": (
        Answer(status=429, error=ErrorBody(message="Full.", code="insufficient_quota")),
        "Full.",
    ),
    "quota of the day": (
        Answer(
            status=429,
            body=GEMINI_BUSY.replace("0.05s", "12s").replace(
                '"@type"',
                '"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "@type"',
            ),
            content_type=JSON,
        ),
        "exceeded your current quota",
    ),
    "no credit": (
        Answer(
            status=400,
            error=ErrorBody(message="Your credit balance is too low to access it."),
        ),
        "credit balance",
    ),
    "not paid": (Answer(status=402), "HTTP 402"),
    "wrong key": (Answer(status=401), "HTTP 401"),
    "not allowed": (Answer(status=403), "HTTP 403"),
    "no such model": (Answer(status=404), "HTTP 404"),
    "no such page": (
        Answer(status=404, body="<h1>Not here</h1>", content_type="text/html"),
        "HTTP 404: Not here",
    ),
    "too large": (
        Answer(status=413, body="Request Entity Too Large", content_type="text/plain"),
        "HTTP 413: Request Entity Too Large",
    ),
    "nonsense": (Answer(status=400), "HTTP 400: The request is invalid."),
    "must not retry": (
        Answer(status=500, headers={"x-should-retry": "false"}),
        "HTTP 500",
    ),
    "moved": (
        Answer(status=308, headers={"location": "https://example.org/v1"}, body=""),
        "redirects to https://example.org/v1",
    ),
    "more than the rate of a minute": (
        Answer(
            status=429,
            error=ErrorBody(
                message="Request too large for x on tokens per min (TPM): Limit 30000, "
                "Requested 48000.",
                code="rate_limit_exceeded",
            ),
        ),
        "Request too large",
    ),
    "a stream": (
        Answer(body='data: {"choices": []}\n\ndata: [DONE]\n\n', content_type=JSON),
        "a stream instead of JSON",
    ),
    "too long a wait": (
        Answer(status=429, headers={"Retry-After": "3600"}),
        "asks to wait 3600 s, which is more than 60 s",
    ),
}
