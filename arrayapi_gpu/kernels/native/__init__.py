"""The device of the host's processor: `fold_programs` reduces bodies by loops, `ready_kernels` finds the kernels that
no loop replaces, `build_loops` compiles both ahead of time, and `partners` has kernels of an OpenCL driver in their
place. It imports `kernels.core`, `kernels.loops`, `kernels.maps`, `kernels.reductions` and `kernels.ordering`.
"""
