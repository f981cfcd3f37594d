"""Benchmarks: they measure and assert nothing about time."""
