"""The version of the package, in a module without imports."""

__version__ = "1.0.0"
