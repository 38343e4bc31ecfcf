"""The version of the package, where everything can import it."""

__version__ = "1.0.0"
