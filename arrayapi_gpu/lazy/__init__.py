"""When it is computed: the graph, the plans, and what a write does to them."""
