"""Memory managers across the line between JavaScript and Python, inside a Stridelab process."""
