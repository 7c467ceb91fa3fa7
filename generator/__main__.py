"""Run the contributors' command line."""

import sys

from generator.cli import main

sys.exit(main())
