"""How a page of the report is written: templates, escaping, and what it may do.

The run's folder holds scripts that models wrote. So a page of the report runs no script
by its address, only those whose digest its policy names.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pytest_iwr.report.site import wording

_STATIC = Path(__file__).parents[1] / "static"
_POLICY = (
    "default-src 'none'; script-src {scripts}; style-src {styles}; "
    "img-src 'self' data:; media-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
MOST_LINES = 20
"""Of a console, or of requests, that one file tells of a step."""
_ALONE = (
    "default-src 'none'; script-src {scripts}; style-src {styles}; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)
"""Of a page that asks for no other file."""


@cache
def environment() -> Environment:
    """Give the templates; all that they print is escaped."""
    made = Environment(
        loader=PackageLoader("pytest_iwr.report.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "inert": inert,
        "number": wording.number,
        "kind": wording.kind_words,
        "seconds": wording.seconds,
        "moment": wording.moment,
        "dollars": wording.dollars,
        "megabytes": wording.megabytes,
    }
    made.globals |= {
        "count": wording.count,
        "STATUSES": wording.STATUSES,
        "MOST_LINES": MOST_LINES,
    }
    return made


def write(
    template: str,
    scripts: tuple[str, ...],
    values: Mapping[str, object],
    *,
    is_alone: bool = False,
) -> str:
    """Give a page with its style, its scripts and the policy that names them."""
    style = _static("report.css")
    codes = [_static(name) for name in scripts]
    policy = (_ALONE if is_alone else _POLICY).format(
        scripts=" ".join(map(_digest, codes)) or "'none'", styles=_digest(style)
    )
    return (
        environment()
        .get_template(template)
        .render(
            **values,
            policy=policy,
            # Files of this package, none of which ends its own element.
            style=Markup(style),  # noqa: S704
            scripts=[Markup(code) for code in codes],  # noqa: S704
        )
    )


def inert(value: object) -> Markup:
    """Give JSON that stands in a `<script>` of a type that nothing runs."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704 - no sign in it can end the element


@cache
def _static(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8").rstrip() + "\n"


def _digest(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
