#!/bin/sh
# Evaluates the stored pages with the Python $1; $2 is when make started, in seconds.
# The faults of the `flawed` pages are what the demo shows, so they do not fail it.
set -eu
python=$1
started=$2

if command -v fc-list >/dev/null && ! fc-list | grep -qiE 'liberation|arial|helvetica'; then
    echo "fonts: no Liberation Sans, Arial or Helvetica; pictures will differ from the"
    echo "fonts: reference's. On Debian or Ubuntu: apt-get install fonts-liberation"
fi

ready=$(date +%s)
status=0
"$python" -m pytest tasks --iwr-pages=examples/pages --iwr-fail-on=error || status=$?
ended=$(date +%s)

echo
echo "report: reports/latest/report.html"
echo "demo: $((ended - ready)) s, with set-up $((ended - started)) s"
exit "$status"
