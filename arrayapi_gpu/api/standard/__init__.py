"""The functions of the standard, one module for each of its chapters. This room imports `api.exchange`, `api.core`."""
