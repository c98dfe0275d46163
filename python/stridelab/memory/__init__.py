"""Memory managers that JavaScript and Python share inside a Stridelab process."""
