#!/bin/sh
# Makes the virtual environment $1 with the first Python that is new enough.
# PYTHON=... names one instead of searching.
set -eu
venv=$1
new_enough='import sys; sys.exit(sys.version_info < (3, 11))'

if "$venv/bin/python" -c "$new_enough" 2>/dev/null; then
    exit 0
fi

found=
for name in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14 python}; do
    if "$name" -c "$new_enough" 2>/dev/null; then
        found=$name
        break
    fi
done
if [ -z "$found" ]; then
    echo "make: no Python 3.11 or newer was found (tried: ${PYTHON:-python3 ... python})." >&2
    echo "make: Install one, or name one: make PYTHON=/path/to/python3.12 ..." >&2
    exit 1
fi
echo "python: $("$found" -c 'import sys; print(sys.executable, sys.version.split()[0])')"

rm -rf "$venv"
if "$found" -m venv "$venv"; then
    exit 0
fi
# Debian and Ubuntu keep the module's other half in a package of its own.
rm -rf "$venv"
package=$("$found" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y "$package"
    exec "$found" -m venv "$venv"
fi
echo "make: $found cannot make virtual environments. On Debian or Ubuntu run" >&2
echo "make: sudo apt-get install $package" >&2
exit 1
