// float16: each function computes in float32 and rounds once to the nearest half.

//: for N in add subtract multiply divide
FN R_f16 $N_f16(R_f16 a, R_f16 b) { return ROUND_f16($N_f32(a, b)); }

//: for N in sqrt exp log sin cos
FN R_f16 $N_f16(R_f16 a) { return ROUND_f16($N_f32(a)); }

// Exact ones.
//: for N in negative abs
FN R_f16 $N_f16(R_f16 a) { return $N_f32(a); }
