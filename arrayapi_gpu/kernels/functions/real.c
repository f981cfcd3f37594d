// Real floating-point functions. None is a driver's, because those miss the bounds here and there, or give other last
// bits next to a huge neighbour in the register. The same text gives the same bits on every device.
// exponential.c and trigonometric.c have further ones.

//: for T in f32 f64
FN R_$T add_$T(R_$T a, R_$T b) { return a + b; }

FN R_$T subtract_$T(R_$T a, R_$T b) { return a - b; }

FN R_$T multiply_$T(R_$T a, R_$T b) { return a * b; }

FN R_$T divide_$T(R_$T a, R_$T b) { return DIVIDE_$T(a, b); }

FN R_$T negative_$T(R_$T a) { return -a; }

FN R_$T positive_$T(R_$T a) { return a; }

FN R_$T square_$T(R_$T a) { return a * a; }

FN R_$T reciprocal_$T(R_$T a) { return C_$T(1) / a; }

FN R_$T abs_$T(R_$T a) { return ABS(a); }

FN R_$T sqrt_$T(R_$T a) { return SQRT(a); }

FN R_$T floor_$T(R_$T a) { return FLOOR(a); }

FN R_$T ceil_$T(R_$T a) { return CEIL(a); }

FN R_$T trunc_$T(R_$T a) { return TRUNC(a); }

FN R_$T round_$T(R_$T a) { return RINT(a); }

FN R_$T copysign_$T(R_$T a, R_$T b) { return COPYSIGN(a, b); }

FN R_$T sign_$T(R_$T a) {
    R_$T zero_or_nan = a + C_$T(0);
    return WHERE_$T(GT(a, C_$T(0)), C_$T(1), WHERE_$T(LT(a, C_$T(0)), C_$T(-1), zero_or_nan));
}

FN R_b8 signbit_$T(R_$T a) { return LT(AS_$I(a), C_$I(0)); }

FN R_b8 isnan_$T(R_$T a) { return NE(a, a); }

FN R_b8 isinf_$T(R_$T a) { return EQ(ABS(a), INF_$T); }

FN R_b8 isfinite_$T(R_$T a) { return LT(ABS(a), INF_$T); }

// Which of -0 and +0 is larger the standard leaves open; to order them would double the cost. The inner choice is
// one instruction of x86, whose result is a where either is NaN; gcc makes two of it where it stands in the other.
// A NaN in a stays because no comparison is true of it. So the test for NaN does not wait for a, which often is the
// result so far.
FN R_$T maximum_$T(R_$T a, R_$T b) {
    R_$T larger = WHERE_$T(GT(b, a), b, a);
    return WHERE_$T(NE(b, b), NAN_$T, larger);
}

FN R_$T minimum_$T(R_$T a, R_$T b) {
    R_$T smaller = WHERE_$T(LT(b, a), b, a);
    return WHERE_$T(NE(b, b), NAN_$T, smaller);
}

// Bit patterns count away from zero.
FN R_$T nextafter_$T(R_$T a, R_$T b) {
    R_$U bits = AS_$U(a), sign = AS_$U(COPYSIGN(C_$T(0), b));
    R_b8 inward = GT(a, b) ^ LT(a, C_$T(0));
    R_$T step = AS_$T(WHERE_$U(inward, bits - C_$U(1), bits + C_$U(1)));
    step = WHERE_$T(EQ(a, C_$T(0)), AS_$T(sign | C_$U(1)), step);
    return WHERE_$T(EQ(a, b), b, WHERE_$T(NE(a, a) | NE(b, b), a + b, step));
}

// Division with remainder, as Python has it. P: bits of a significand.
//: for T P in f32 24  f64 53

// The exact a - b * trunc(a / b): long division, P - 1 bits of the quotient a round. Trunc(rest / part) is
// right or 1 too large, and the rest that it leaves fits a float, so FMA finds it without error.
FN R_$T fmod_$T(R_$T a, R_$T b) {
    R_$T divisor = ABS(b);
    R_b8 finite = LT(ABS(a), INF_$T), valid = finite & GT(divisor, C_$T(0)) & LT(divisor, INF_$T);
    R_$T rest = WHERE_$T(valid, ABS(a), C_$T(0)), part = WHERE_$T(valid, divisor, C_$T(1));
    R_b8 far = GE(rest / part, C_$T(0x1p$P));
    while (ANY(far)) {
        part = WHERE_$T(far, part * C_$T(0x1p$P) * C_$T(0.5), part);
        far = GE(rest / part, C_$T(0x1p$P));
    }
    R_b8 more;
    do {
        rest = FMA(-TRUNC(rest / part), part, rest);
        rest = WHERE_$T(LT(rest, C_$T(0)), rest + part, rest);
        more = GT(part, divisor) & valid;
        part = WHERE_$T(more, part * C_$T(2) * C_$T(0x1p-$P), part);
    } while (ANY(more));
    R_$T otherwise = WHERE_$T(finite & EQ(divisor, INF_$T), a, NAN_$T);
    return WHERE_$T(valid, COPYSIGN(rest, a), otherwise);
}

FN R_$T remainder_$T(R_$T a, R_$T b) {
    R_$T rest = fmod_$T(a, b);
    R_$T shifted = WHERE_$T(LT(rest, C_$T(0)) ^ LT(b, C_$T(0)), rest + b, rest);
    return WHERE_$T(EQ(rest, C_$T(0)), COPYSIGN(rest, b), shifted);
}

// Where an operand is infinite, or b is 0, the standard wants floor(a / b).
FN R_$T floor_divide_$T(R_$T a, R_$T b) {
    R_$T rest = fmod_$T(a, b), exact = a / b;
    R_b8 opposite = NE(rest, C_$T(0)) & (LT(rest, C_$T(0)) ^ LT(b, C_$T(0)));
    R_$T quotient = (a - rest) / b - WHERE_$T(opposite, C_$T(1), C_$T(0));
    R_$T whole = FLOOR(quotient);
    whole = whole + WHERE_$T(GT(quotient - whole, C_$T(0.5)), C_$T(1), C_$T(0));
    whole = WHERE_$T(EQ(quotient, C_$T(0)), COPYSIGN(C_$T(0), exact), whole);
    R_b8 special = EQ(b, C_$T(0)) | EQ(ABS(a), INF_$T) | EQ(ABS(b), INF_$T);
    return WHERE_$T(special, FLOOR(exact), whole);
}

// sqrt(a^2 + b^2), scaled away from both ends of the range: beyond 2^G by 2^-S, below 2^-K by 2^M.
//: for T G S K M in f32 60 70 40 100  f64 500 600 400 700
FN R_$T hypot_$T(R_$T a, R_$T b) {
    R_$T x = ABS(a), y = ABS(b);
    R_b8 swap = GT(y, x), infinite = EQ(x, INF_$T) | EQ(y, INF_$T);
    R_$T large = WHERE_$T(swap, y, x), small = WHERE_$T(swap, x, y);
    R_b8 huge = GT(large, C_$T(0x1p$G)), tiny = LT(large, C_$T(0x1p-$K));
    R_$T scale = WHERE_$T(huge, C_$T(0x1p-$S), WHERE_$T(tiny, C_$T(0x1p$M), C_$T(1)));
    R_$T back = WHERE_$T(huge, C_$T(0x1p$S), WHERE_$T(tiny, C_$T(0x1p-$M), C_$T(1)));
    large = large * scale;
    small = small * scale;
    return WHERE_$T(infinite, INF_$T, SQRT(FMA(large, large, small * small)) * back);
}
