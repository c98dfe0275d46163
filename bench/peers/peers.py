"""A peer's figures: `python3 peers.py LIBRARY SIZES GROUP...` prints a line of JSON for each group, and one for the version first.

SIZES is the JSON of bench/measures.mjs. A group that fails leaves a gap and its reason, and what was printed before a crash stays.
"""

import importlib
import json
import platform
import sys

from timing import Figures

LIBRARY, SIZES, GROUPS = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]


def say(**facts):
    print(json.dumps(facts), flush=True)


try:
    peer = importlib.import_module(f"with_{LIBRARY}")
except Exception as error:  # missing, or broken on this machine
    say(problem=f"{type(error).__name__}: {error}"[:300])
    sys.exit(0)
say(versions={"Python": platform.python_version(), **peer.versions})
for group in GROUPS:
    measure = getattr(peer, group, None)
    if measure is None:
        continue
    own = Figures()
    try:
        measure(own, SIZES)
    except Exception as error:
        own.problems.append(f"{type(error).__name__}: {error}"[:300])
    say(group=group, figures=own, problems=own.problems)
