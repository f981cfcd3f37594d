"""The array class, and the code that all functions share.

`array_object`: the class; `added_methods`: the types of its methods that call functions; `arguments`: checks of
arguments; `indexing`: ``x[key]`` and ``x[key] = value``; `viewing`: views and their copies; `host_values`: conversion
of Python numbers, lists and NumPy arrays; `memory_order`: NumPy's ``order``; `flags_and_flat`: NumPy's attributes of
these names; `exports`: NumPy arrays, DLPack capsules and other forms for other libraries; `names`: NumPy's names
against the standard's; `printing`: text of arrays; `inspection`: the standard's inspection API; `transfers`: the policy
for implicit transfers to the host.
This room imports `lazy`.
"""
