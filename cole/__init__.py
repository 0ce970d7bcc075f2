"""Cooperative open-ended learning (COLE) for zero-shot coordination, in JAX."""

__version__ = "0.1.0"
