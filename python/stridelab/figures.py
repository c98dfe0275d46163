"""Figures of matplotlib in a notebook: those that a cell leaves open are shown at its end. Only where the user imported it.

Runs inside the Python that a kernel holds, like bridge.py.
"""

import base64
import io
import os
import sys
import warnings

__stridelab_internal__ = True


def prepare():
    """Before matplotlib is imported: no windows, unless the user chose a backend."""
    os.environ.setdefault("MPLBACKEND", "agg")
    # Of `pyplot.show()`, which has nothing to do here.
    warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")


def picture_of(value):
    """PNG as base64 where `value` is a figure, which is not shown again at the end of the cell; None for anything else."""
    module = sys.modules.get("matplotlib.figure")
    if module is None or not isinstance(value, getattr(module, "Figure", ())):
        return None
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(value)
    return _picture(value)


def take_open():
    """MIME bundles of the figures that are open, which are closed."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    # A backend with windows of its own shows them itself; an import that is under way knows of none yet.
    if pyplot is None or not hasattr(pyplot, "get_fignums") or pyplot.get_backend().lower() != "agg":
        return []
    shown = []
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        shown.append({"image/png": _picture(figure), "text/plain": repr(figure)})
        pyplot.close(figure)
    return shown


def _picture(figure):
    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    return base64.b64encode(file.getvalue()).decode("ascii")
