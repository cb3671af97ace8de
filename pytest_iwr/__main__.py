"""`python -m pytest_iwr` is `iwr`."""

import sys

from pytest_iwr.cli import main

sys.exit(main())
