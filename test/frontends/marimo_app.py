"""A marimo notebook with the pictures of a TypeScript notebook, and with an array that a TypeScript program shares."""

import marimo

app = marimo.App()


@app.cell
def _():
    import json
    import pathlib

    import anywidget
    import marimo as mo
    import numpy
    import stridelab
    import traitlets

    given = mo.cli_args()

    class Picture(anywidget.AnyWidget):
        _esm = pathlib.Path(given["module"])
        view = traitlets.Unicode().tag(sync=True)
        picture = traitlets.Dict().tag(sync=True)

    return Picture, given, json, mo, numpy, pathlib, stridelab


@app.cell
def _(given, json, pathlib):
    cells = json.loads(pathlib.Path(given["notebook"]).read_text())["cells"]
    outputs = [output["data"] for cell in cells for output in cell["outputs"]]
    return (outputs,)


@app.cell
def _(Picture, mo, outputs):
    pictures = [output.get("application/vnd.stridelab.picture+json") for output in outputs]
    array = outputs[0]["application/vnd.stridelab.array+json"]
    mo.vstack(
        [
            mo.ui.anywidget(Picture(view="ArrayInspector", picture=array)),
            *[mo.ui.anywidget(Picture(**picture)) for picture in pictures if picture],
        ]
    )
    return


@app.cell
def _(mo, outputs):
    mo.Html(f'<div class="saved">{"".join(outputs[0]["text/html"])}</div>')
    return


@app.cell
def _(given, mo, numpy, stridelab):
    shared = numpy.asarray(stridelab.open(given["token"]))
    total = shared.sum()
    shared[0, 0] = 100
    mo.md(f"The sum is {total:g}.")
    return


if __name__ == "__main__":
    app.run()
