"""The array class, and what all functions share.

`array_object` is the class, `arguments` checks arguments, `indexing` reads and writes by keys, `host_values` converts
values of the host, `memory_order` and `exports` say how arrays lie and are given away, `names` is the list of public
names, `printing` the text of arrays, `inspection` the standard's namespace of facts, and `transfers` the way between
devices. It imports `lazy`.
"""
