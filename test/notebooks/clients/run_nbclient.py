"""Runs the notebook named on the command line with nbclient, twice: with errors allowed, and without."""

import json
import sys

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, kernel_name="stridelab", allow_errors=True).execute()
nbformat.validate(notebook)

strict = nbformat.read(sys.argv[1], as_version=4)
refused = None
try:
    NotebookClient(strict, kernel_name="stridelab").execute()
except CellExecutionError as error:
    refused = [error.ename, error.evalue]

slow = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("while (true) {}")])
timed_out = False
try:
    NotebookClient(slow, kernel_name="stridelab", timeout=2, interrupt_on_timeout=False).execute()
except CellTimeoutError:
    timed_out = True

print(json.dumps({"cells": notebook.cells, "metadata": notebook.metadata, "refused": refused, "timed_out": timed_out}))
