"""Whole programs: one source each, running on `numpy` and on `arrayapi_gpu`."""
