// The operations that follow a product or a reduction; see epilogues.py.

//: function
$described
FN R_$O epilogue($operands) {
    $value
    $steps
    return $result;
}
