"""The lazy engine, and the door to it: other rooms import these names from here, and import no module of this room.

Each of its rooms imports only from earlier ones: `graph` (values before they are computed), `plan` (the launches that
compute them), `run` (launches on devices), `build` (new values), `out_of_core` (values in host memory, computed block
by block), `mutation` (writes). `build` makes new values, `run` gives their memory, and `mutation` changes it.
"""

from .build.build import (
    apply,
    astype,
    binary,
    broadcast,
    brought_together,
    concat,
    different_devices,
    element,
    gather,
    handle,
    of_constants,
    of_many,
    of_two,
    on_device,
    part_of,
    read,
    rebind,
    repeated,
    roll,
    scalar_first,
    stacked,
    unary,
    uncopied,
    view,
    viewed,
    where,
    with_scalar,
    wrap_index,
)
from .build.compaction import compress, nonzero
from .build.gathers import gathered, strides_below
from .build.moments import over, squared_deviations, total
from .build.operators import SQUARED, Operators, Other, of_array, of_two_arrays, operators_of, selected
from .build.products import product
from .build.reductions import reduction
from .build.routines import routine
from .build.scans import cumulative
from .build.sorts import selected_along, sorted_along
from .build.transforms import transform
from .graph.device_transfers import arriving
from .graph.expressions import call, literal
from .graph.failures import lost
from .graph.graph import CONSTANT, Handle, Node, Source, available, constant, flat_index, index_along, iota, leaf
from .graph.host_operands import fits, host_operand, host_operand_in
from .graph.movements import Movement, keyed
from .graph.roll import Roll, rolled_by
from .graph.value_ranges import interval
from .graph.views import layout_of, root_of
from .mutation.iteration import elements, known
from .mutation.scatters import scatter, scatter_add
from .mutation.user_kernels import UserOp, launch_raw, launched, monoid_of, results_of
from .mutation.writes import (
    assign,
    check_writable,
    expose,
    is_fixed,
    is_there,
    is_too_large,
    meet,
    operate,
    refuse_host_operand,
    replace,
    settle_readers,
    shows,
    with_elements,
    writable,
)
from .out_of_core.streaming import Blocks, blocks_of, compressed, from_host, on_host, pieces_of, settle
from .plan.graph_key import inner_of
from .plan.plan import Work
from .plan.planner import Planner
from .run.evaluate import computed_all, contiguous, copy, evaluate, fresh, memory, put_on_host, strides_of
from .run.host_execution import interpreted, lacking, selects_few, small_elements, taken
from .run.meanwhile import is_awaited
from .run.nonfinite import check_results
