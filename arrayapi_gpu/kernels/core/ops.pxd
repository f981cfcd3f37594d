from arrayapi_gpu.kernels.core.operation cimport Operation

cdef class Rule:
    cdef public tuple args
    cdef public object result, function, cost, exact
    cdef public Rule narrower

cdef class UserRule(Rule):
    cdef public object family, texts

cdef class Op(Operation):
    cdef public object name, arity, accepts, form
    cdef public dict rules, tables
