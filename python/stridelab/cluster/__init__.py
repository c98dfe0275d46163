"""
Tasks and arrays on a Dask cluster: the Python side of `stridelab/cluster`.

Its modules are imported by name: Dask's workers import only what they use.
"""
