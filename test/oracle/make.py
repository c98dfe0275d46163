"""Stores the results of NumPy and ml_dtypes that the tests of array operations compare: `python make.py` writes oracle.json.gz.

Transcendental functions are computed in a wider precision and rounded, so that these results are exact to half a unit in the
last place; their dtypes are those of NumPy's function. Sums are of numbers whose sums are exact.
"""

import gzip
import json
import pathlib
import platform

import elementwise
import ml_dtypes
import numpy as np
import whole
from recorder import ALL, arrays, cases

elementwise.note_inputs()
elementwise.note_single()
elementwise.note_pairs()
promotions = elementwise.note_dtypes()
elementwise.note_values()
elementwise.note_limits()
elementwise.note_shapes()
whole.note_reductions()
whole.note_products()
whole.note_joining()
whole.note_casts()

versions = {"python": platform.python_version(), "numpy": np.__version__, "ml_dtypes": ml_dtypes.__version__}
used = {each["array"] for spec in cases for each in spec["operands"] if "array" in each}
document = {
    "versions": versions,
    "dtypes": ALL,
    "promotions": promotions,
    "arrays": {name: spec for name, (spec, _) in arrays.items() if name in used},
    "cases": cases,
}
target = pathlib.Path(__file__).with_name("oracle.json.gz")
target.write_bytes(gzip.compress(json.dumps(document, separators=(",", ":")).encode(), 9, mtime=0))
refused = sum("refused" in spec for spec in cases)
print(f"{len(cases)} cases, {refused} of them refusals, {target.stat().st_size} bytes, {versions}")
