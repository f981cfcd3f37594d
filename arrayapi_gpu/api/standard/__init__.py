"""The functions of the standard, a module for each of its chapters. It imports `api.exchange` and `api.core`."""
