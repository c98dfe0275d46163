"""Shows the matplotlib figures that a cell leaves open at its end, if the user imported matplotlib.

Runs inside the Python that a kernel controls, like bridge.py.
"""

import base64
import io
import os
import sys
import warnings

__stridelab_internal__ = True


def prepare():
    """Selects a backend without windows, unless the user chose one; must run before matplotlib is imported."""
    os.environ.setdefault("MPLBACKEND", "agg")
    # `pyplot.show()` warns about such a backend, and does nothing here.
    warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")


def picture_of(value):
    """Returns the PNG of a figure as base64, or None for other values. Closes the figure, so that the cell does not show it again."""
    module = sys.modules.get("matplotlib.figure")
    if module is None or not isinstance(value, getattr(module, "Figure", ())):
        return None
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(value)
    return _picture(value)


def take_open():
    """Closes the open figures, and returns their MIME bundles."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    # Backends with windows show figures themselves; during its import pyplot has no figures yet.
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
