// Random numbers: Philox4x64-10 and Philox4x32-10, and functions of their words. Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC'11.

//: for T in u64

// The upper half of a product.
FN R_$T multiply_high_$T(R_$T a, R_$T b) { return MULTIPLY_HIGH(a, b); }

//: for A B in 0xD2E7470EE14C6C93 0xCA5A826395121157 for W N H in R lanes MULTIPLY_HIGH  S one MULTIPLY_HIGH_S

// One round on the four words of a counter: of each lane, or of one number alone.
FN void philox_round_$N($W_u64 *x, $W_u64 k, $W_u64 l) {
    $W_u64 a = ALL_$W(u64, $A), b = ALL_$W(u64, $B);
    $W_u64 high = $H(a, x[0]), other = $H(b, x[2]), low = a * x[0];
    x[0] = other ^ x[1] ^ k;
    x[1] = b * x[2];
    x[2] = high ^ x[3] ^ l;
    x[3] = low;
}

// The words of ``count`` blocks, 4 at most, whose counters differ in their lowest word alone; each takes four words,
// and the first is that word before. The results of the first two rounds for the other words are the same for all.
FN void philox_blocks_$N($W_u64 *x, int count, $W_u64 k, $W_u64 l, $W_u64 d, $W_u64 e, $W_u64 f) {
    $W_u64 a = ALL_$W(u64, $A), b = ALL_$W(u64, $B), step = ALL_$W(u64, 0x9E3779B97F4A7C15);
    $W_u64 other = ALL_$W(u64, 0xBB67AE8584CAA73B), first = $H(b, e) ^ d ^ k, second = b * e, third = f ^ l;
    k += step;
    l += other;
    second ^= k;
    $W_u64 high = $H(a, first) ^ l, low = a * first;
    UNROLL for (int block = 0; block < 4; block++) if (block < count) {
        $W_u64 *y = x + 4 * block, z = $H(a, y[0]) ^ third;
        y[2] = a * y[0] ^ high;
        y[0] = $H(b, z) ^ second;
        y[1] = b * z;
        y[3] = low;
    }
    UNROLL for (int round = 2; round < 10; round++) {
        k += step;
        l += other;
        UNROLL for (int block = 0; block < 4; block++) if (block < count) philox_round_$N(x + 4 * block, k, l);
    }
}

//: for T in u64

// The four words of the block ``number`` blocks after the one of the counter c, d, e, f (its lowest word first).
FN void philox_block_$T(R_$T *x, R_i64 number, R_$T k, R_$T l, R_$T c, R_$T d, R_$T e, R_$T f) {
    x[0] = c + AS_$T(number);
    R_b8 carry = LT(x[0], c);
    x[1] = d - TO_$T(carry);
    carry = carry & EQ(x[1], C_$T(0));
    x[2] = e - TO_$T(carry);
    carry = carry & EQ(x[2], C_$T(0));
    x[3] = f - TO_$T(carry);
    UNROLL for (int round = 0; round < 10; round++) {
        philox_round_lanes(x, k, l);
        k += C_$T(0x9E3779B97F4A7C15);
        l += C_$T(0xBB67AE8584CAA73B);
    }
}

// The two words of an attempt: the first two of ``words``. One block is for two attempts; the second one takes the
// others.
FN void philox_attempt_$T(
    R_$T *words, R_i64 block, int attempt, R_$T k, R_$T l, R_$T c, R_$T d, R_$T e, R_$T f
) {
    if (attempt & 1) {
        words[0] = words[2];
        words[1] = words[3];
    } else {
        philox_block_$T(words, block + C_i64(attempt >> 1), k, l, c, d, e, f);
    }
}

// Word ``number`` of the stream that begins with that block: where the upper three words of the counter are the same
// for all wanted words, and otherwise (`random.streams`).
FN R_$T philox_word_$T(R_$T *x, R_$T place) {
    R_b8 odd = NE(place & C_$T(1), C_$T(0));
    R_$T early = WHERE_$T(odd, x[1], x[0]), late = WHERE_$T(odd, x[3], x[2]);
    return WHERE_$T(NE(place & C_$T(2), C_$T(0)), late, early);
}

FN R_$T philox_$T(R_i64 number, R_$T k, R_$T l, R_$T c, R_$T d, R_$T e, R_$T f) {
    R_$T x[4];
    x[0] = c + AS_$T(number >> C_i64(2));
    philox_blocks_lanes(x, 1, k, l, d, e, f);
    return philox_word_$T(x, AS_$T(number));
}

FN R_$T philox_carrying_$T(R_i64 number, R_$T k, R_$T l, R_$T c, R_$T d, R_$T e, R_$T f) {
    R_$T x[4];
    philox_block_$T(x, number >> C_i64(2), k, l, c, d, e, f);
    return philox_word_$T(x, AS_$T(number));
}

// Half word ``number``: the lower half of a word comes before the upper one.
//: for T in u32 for N in philox philox_carrying
FN R_$T $N_$T(R_i64 number, R_u64 k, R_u64 l, R_u64 c, R_u64 d, R_u64 e, R_u64 f) {
    R_u64 word = $N_u64(number >> C_i64(1), k, l, c, d, e, f);
    return TO_$T(WHERE_u64(NE(AS_u64(number) & C_u64(1), C_u64(0)), word >> C_u64(32), word));
}

// The same of neighbours, which share blocks: one register of them on CPUs, those of a block on GPUs, from element
// ``first`` on. L: the elements of a block, B its bits.

// ``count`` blocks from number ``first`` on, into an array.
//: for T L B in u32 8 3  u64 4 2
FN void philox_elements_$T(M_$T *near, int count, S_u64 first, S_u64 k, S_u64 l, S_u64 d, S_u64 e, S_u64 f) {
    S_u64 x[16];
    UNROLL for (int block = 0; block < 4; block++) x[4 * block] = first + block;
    philox_blocks_one(x, count, k, l, d, e, f);
    UNROLL for (int j = 0; j < 4 * $L; j++)
        if (j < count * $L) near[j] = (M_$T)(x[j * 4 / $L] >> (j & ($L / 4 - 1)) * 32);
}

// ``over``: how many elements of the first block lie before the first.
FN void philox_run_$T(R_$T *out, int over, int count, S_i64 first, S_u64 k, S_u64 l, S_u64 c, S_u64 d, S_u64 e, S_u64 f) {
    c += (S_u64)(first >> $B);
#if LANES == 1
    M_$T near[2 * $L];
    philox_elements_$T(near, 1, c, k, l, d, e, f);
    if (over) {
        if (over + count > $L) philox_elements_$T(near + $L, 1, c + 1, k, l, d, e, f);
        else UNROLL for (int j = $L; j < 2 * $L; j++) near[j] = 0;
        shift_down_$L_$T(near, over);
    }
    UNROLL for (int j = 0; j < $L; j++) if (j < count) out[j] = near[j];
#else
    M_$T near[LANES + $L];
    philox_elements_$T(near, LANES / $L, c, k, l, d, e, f);
    if (over) philox_elements_$T(near + LANES, 1, c + LANES / $L, k, l, d, e, f);
    *out = UNSPILL(near + over);
#endif
}

// Of 2 L numbers, those from number ``over`` on come first. In words that leave no compiler an index that it does not
// know, for which it would take memory.
//: for T L B in u32 8 3  u64 4 2  u32 4 2
FN void shift_down_$L_$T(M_$T *near, int over) {
    UNROLL for (int bit = 0; bit < $B; bit++) {
        M_$T moves = (M_$T)0 - (M_$T)(over >> bit & 1);
        UNROLL for (int j = 0; j < 2 * $L - 1; j++)
            if (j + (1 << bit) < 2 * $L) near[j] ^= (near[j] ^ near[j + (1 << bit)]) & moves;
    }
}

// Short words: those of Philox4x32-10. Two products of 32 bits make four of them a round, where those of 64 bits are
// four and more such products each. A counter is the number of a block, in two words, and ``upper``, two more.

// The words of the block ``number``: numbers of u32, or the lower halves of u64, whose upper halves count for nothing.
//: for W X N P in R u64 lanes PRODUCT_OF_LOWER  S u32 one PRODUCT_u32  Q u64 four PRODUCT_OF_LOWER
FN void philox32_block_$N($W_$X *x, $W_u64 number, $W_u64 key, $W_u64 upper) {
    $W_$X a = ALL_$W($X, 0xD2511F53), b = ALL_$W($X, 0xCD9E8D57), k = ($W_$X)key, l = ($W_$X)(key >> 32);
    x[0] = ($W_$X)number;
    x[1] = ($W_$X)(number >> 32);
    x[2] = ($W_$X)upper;
    x[3] = ($W_$X)(upper >> 32);
    UNROLL for (int round = 0; round < 10; round++) {
        $W_u64 low = $P(x[0], a), high = $P(x[2], b);
        x[0] = ($W_$X)(high >> 32) ^ x[1] ^ k;
        x[1] = ($W_$X)high;
        x[2] = ($W_$X)(low >> 32) ^ x[3] ^ l;
        x[3] = ($W_$X)low;
        k += ALL_$W($X, 0x9E3779B9);
        l += ALL_$W($X, 0xBB67AE85);
    }
}

// Short word ``number``, counted from block c on.
//: for T in u32
FN R_$T philox32_$T(R_i64 number, R_u64 key, R_u64 upper, R_u64 c) {
    R_u64 x[4];
    philox32_block_lanes(x, c + AS_u64(number >> C_i64(2)), key, upper);
    return TO_$T(philox_word_u64(x, AS_u64(number)));
}

// Those of neighbours, as `philox_run`; on CPUs the four blocks of a register are computed side by side.
FN INLINED(void) philox32_run_$T(R_$T *out, int over, int count, S_i64 first, S_u64 key, S_u64 upper, S_u64 c) {
    c += (S_u64)(first >> 2);
#if LANES == 1
    M_$T near[8];
    philox32_block_one(near, c, key, upper);
    if (over) {
        if (over + count > 4) philox32_block_one(near + 4, c + 1, key, upper);
        else UNROLL for (int j = 4; j < 8; j++) near[j] = 0;
        shift_down_4_$T(near, over);
    }
    UNROLL for (int j = 0; j < 4; j++) if (j < count) out[j] = near[j];
#else
    Q_u64 x[4];
    philox32_block_four(x, c + QUARTERS, ALL_Q(u64, key), ALL_Q(u64, upper));
    *out = OF_QUARTERS(x[0], x[1], x[2], x[3]);
    if (over) {
        M_$T next[4];
        philox32_block_one(next, c + LANES / 4, key, upper);
        *out = over == 1 ? SHIFT_IN(*out, 1, next) : over == 2 ? SHIFT_IN(*out, 2, next) : SHIFT_IN(*out, 3, next);
    }
#endif
}

// Of the bits of a word or half word, as many as the dtype takes.
//: for T in u32
FN R_$T bits_$T(R_u64 word) { return TO_$T(word >> C_u64(32)); }

//: for T in u64
FN R_$T bits_$T(R_$T word) { return word; }

// A number of [0, 1): the first P bits of the word. S: the others.
//: for T F S P in u32 f32 8 24  u64 f64 11 53
FN R_$F uniform_$T(R_$T word) { return TO_$F(AS_$I(word >> C_$T($S))) * C_$F(0x1p-$P); }

// The word as a fraction of 2^W, in the middle between two, as a number of (-1/2, 1/2): a fraction p below 1/2 is p,
// one above is p - 1, so that either tail has all its digits. V: W + 1.
//: for T F W V in u32 f32 32 33  u64 f64 64 65
FN R_$F tail_$T(R_$T word) { return FMA(TO_$F(AS_$I(word)), C_$F(0x1p-$W), C_$F(0x1p-$V)); }

// A tail as the fraction that it is, of (0, 1], with all the digits that one near 0 has.
//: for T in f32 f64
FN R_$T fraction_$T(R_$T tail) { return WHERE_$T(LT(tail, C_$T(0)), C_$T(1) + tail, tail); }

// The logarithm of a positive finite number.
//: for T in f32 f64
FN R_$T log_positive_$T(R_$T a) {
    R_$T k, m = split_$T(a, &k);
    return log_of_$T(k, m - C_$T(1), C_$T(0));
}

// -log(2^k (1 - g)), for g of [0, 1/2]; 2^-25.
//: for T in f32
FN R_f32 minus_log_f32(R_f32 k, R_f32 g) {
    R_f32 y = FMA(C_f32(-0x1.71dfd8p0), g, C_f32(0x1.b2eef4p0));
    y = FMA(y, g, C_f32(-0x1.4177d2p0));
    y = FMA(y, g, C_f32(0x1.99f2e2p-3));
    y = FMA(y, g, C_f32(-0x1.1268ecp-2));
    y = FMA(y, g, C_f32(-0x1.f206dp-3));
    y = FMA(y, g, C_f32(-0x1.55aae6p-2));
    y = FMA(y, g, C_f32(-0x1.fffe9ep-2));
    return FMA(k, C_f32(-0x1.62e43p-1), FMA(y * g, -g, g));
}

// A number of [-1, 0) as -2^k (1 - g), for g of (0, 1/2]. For k see `tail_logarithm`.
FN R_f32 halved_f32(R_f32 a, R_f32 *k) {
    R_u32 bits = AS_u32(a), power = (bits >> C_u32(23)) + C_u32(0x4b400000 - 256 - 126);
    *k = AS_f32(power) - C_f32(0x1.8p23);
    return C_f32(1) + AS_f32(bits - (power << C_u32(23)));
}

// Of a tail (see tail_$U): -log(1 - fraction).
FN R_f32 standard_exponential_f32(R_f32 tail) {
    R_b8 above = LT(tail, C_f32(0));
    R_f32 k, g = halved_f32(tail, &k);
    return minus_log_f32(WHERE_f32(above, k, C_f32(0)), WHERE_f32(above, g, tail));
}

// The same, with the steps of log1p_$T.
//: for T in f64
FN R_$T standard_exponential_$T(R_$T tail) {
    R_$T one = C_$T(1), u = WHERE_$T(LT(tail, C_$T(0)), -tail, one - tail);
    R_$T lost = WHERE_$T(LT(tail, C_$T(0)), C_$T(0), (one - u) - tail);
    R_$T k, m = split_$T(u, &k);
    R_b8 near = EQ(k, C_$T(0));
    R_$T more = WHERE_$T(near, C_$T(0), lost + lost);
    // Not -log_of: the logarithm of 1 is +0, and gcc negates the operands of an FMA, and not its result.
    return C_$T(0) - log_of_$T(k, WHERE_$T(near, -tail, m - one), more);
}

// The normal quantile of a tail. With p its size, and q = 1/2 - p, the fits are of quantile / q over
// w = -log(4 p (1 - p)) up to 6, and over sqrt(w), which one of 800 samples needs; 2^-24.
//: for T in f32

// w - 3, within 2^-24. The exponent becomes a float as the last digits of a large one.
FN R_f32 tail_logarithm_f32(R_f32 p) {
    R_u32 bits = AS_u32(p * (p - C_f32(1)));  // of a negative number
    R_f32 k = AS_f32((bits >> C_u32(23)) + C_u32(0x4b400000 - 256 - 126 + 2)) - C_f32(0x1.8p23);
    R_f32 t = AS_f32((bits & C_u32(0x7fffff)) | C_u32(0x3f000000)) - C_f32(0.75);
    R_f32 y = FMA(C_f32(0x1.9cdfa2p0), t, C_f32(-0x1.4fac0cp0));
    y = FMA(y, t, C_f32(0x1.d367fap-1));
    y = FMA(y, t, C_f32(-0x1.a972cp-1));
    y = FMA(y, t, C_f32(0x1.94dbcep-1));
    y = FMA(y, t, C_f32(-0x1.94a6aap-1));
    y = FMA(y, t, C_f32(0x1.c71bb2p-1));
    y = FMA(y, t, C_f32(-0x1.555544p0));
    y = FMA(y, t, C_f32(-0x1.5b2d3cp1));
    return FMA(k, C_f32(-0x1.62e43p-1), y);
}

FN R_f32 near_quantile_f32(R_f32 s) {
    R_f32 y = FMA(C_f32(-0x1.1b2238p-26), s, C_f32(-0x1.a545f6p-27));
    y = FMA(y, s, C_f32(0x1.59e68ep-20));
    y = FMA(y, s, C_f32(-0x1.65dc38p-18));
    y = FMA(y, s, C_f32(-0x1.2eaf62p-15));
    y = FMA(y, s, C_f32(0x1.21dfb8p-11));
    y = FMA(y, s, C_f32(-0x1.35f46cp-9));
    y = FMA(y, s, C_f32(-0x1.09ee68p-6));
    y = FMA(y, s, C_f32(0x1.5deb08p-1));
    return FMA(y, s, C_f32(0x1.25e47cp2));
}

FN R_f32 far_quantile_f32(R_f32 past) {
    R_f32 s = SQRT(WHERE_f32(GT(past, C_f32(3)), past + C_f32(3), C_f32(6))) - C_f32(3.5);
    R_f32 y = FMA(C_f32(-0x1.639d84p-15), s, C_f32(0x1.ef4104p-15));
    y = FMA(y, s, C_f32(0x1.b2b2p-13));
    y = FMA(y, s, C_f32(-0x1.7882bp-11));
    y = FMA(y, s, C_f32(0x1.44aad4p-10));
    y = FMA(y, s, C_f32(-0x1.ed889p-10));
    y = FMA(y, s, C_f32(0x1.943d54p-9));
    y = FMA(y, s, C_f32(-0x1.7efb0ep-8));
    y = FMA(y, s, C_f32(0x1.2fbefp-7));
    y = FMA(y, s, C_f32(0x1.6cb4ep1));
    return FMA(y, s, C_f32(0x1.2de4cap3));
}

// ``y`` times q, with the sign opposite to that of the tail.
FN R_f32 quantile_f32(R_f32 tail, R_f32 y) {
    R_u32 sign = ~AS_u32(tail) & C_u32(0x80000000u);
    return AS_f32(AS_u32((C_f32(0.5) - ABS(tail)) * y) ^ sign);
}

FN R_f32 standard_normal_f32(R_f32 tail) {
    R_f32 s = tail_logarithm_f32(ABS(tail)), y = near_quantile_f32(s);
    R_b8 far = GT(s, C_f32(3));
    if (ANY(far)) y = WHERE_f32(far, far_quantile_f32(s), y);
    return quantile_f32(tail, y);
}

// The same up to 4; below p = 0.0046 the quantile itself over sqrt(-log(p)); 2^-57.
//: for T in f64
FN R_f64 standard_normal_f64(R_f64 tail) {
    R_f64 p = ABS(tail), q = C_f64(0.5) - p;
    R_b8 far = LT(p, C_f64(0.0046));
    R_f64 w = -log_positive_f64(WHERE_f64(far, p, C_f64(4) * p * (C_f64(1) - p)));
    R_f64 s = w;
    R_f64 y = FMA(C_f64(0x1.49cf5445c76e9p-24), s, C_f64(0x1.82610d3a86b03p-19));
    y = FMA(y, s, C_f64(0x1.d16ac112e5f89p-15));
    y = FMA(y, s, C_f64(0x1.7650f6153813cp-11));
    y = FMA(y, s, C_f64(0x1.ba2a15994aad7p-8));
    y = FMA(y, s, C_f64(0x1.8abea7a2ca39bp-5));
    y = FMA(y, s, C_f64(0x1.045ae61ec8641p-2));
    y = FMA(y, s, C_f64(0x1.ed34f71deab3p-1));
    y = FMA(y, s, C_f64(0x1.40d931ff62706p1));
    R_f64 z = FMA(C_f64(0x1.d41f468534b47p-30), s, C_f64(0x1.a9839a579b101p-23));
    z = FMA(z, s, C_f64(0x1.5389931d96864p-18));
    z = FMA(z, s, C_f64(0x1.2433598658d87p-14));
    z = FMA(z, s, C_f64(0x1.0126e171850d7p-10));
    z = FMA(z, s, C_f64(0x1.696e5f1185b2cp-8));
    z = FMA(z, s, C_f64(0x1.cd74645de7057p-5));
    z = FMA(z, s, C_f64(0x1.f5c224ff3d46p-4));
    z = FMA(z, s, C_f64(0x1p0));
    if (ANY(far)) {
        s = SQRT(WHERE_f64(far, w, C_f64(5))) - C_f64(2);
        R_f64 top = FMA(C_f64(0x1.44d1e66f36b6bp-16), s, C_f64(0x1.14d049c4d31d9p-10));
        top = FMA(top, s, C_f64(0x1.4db7957ec1aa8p-6));
        top = FMA(top, s, C_f64(0x1.8a592d0fe8e2p-3));
        top = FMA(top, s, C_f64(0x1.041634c010767p0));
        top = FMA(top, s, C_f64(0x1.9246e5d3accbap1));
        top = FMA(top, s, C_f64(0x1.691e71a5e9276p2));
        top = FMA(top, s, C_f64(0x1.593e276833eap2));
        top = FMA(top, s, C_f64(0x1.0b803449343fbp1));
        R_f64 bottom = FMA(C_f64(0x1.f61feedef92b7p-39), s, C_f64(0x1.cb582e17fd5aep-17));
        bottom = FMA(bottom, s, C_f64(0x1.7929eade40666p-11));
        bottom = FMA(bottom, s, C_f64(0x1.aa24e8317cd0ep-7));
        bottom = FMA(bottom, s, C_f64(0x1.c9ab53bc0dd48p-4));
        bottom = FMA(bottom, s, C_f64(0x1.08aa2c36f270fp-1));
        bottom = FMA(bottom, s, C_f64(0x1.54a78cac8cf7bp0));
        bottom = FMA(bottom, s, C_f64(0x1.cd0d34e009498p0));
        bottom = FMA(bottom, s, C_f64(0x1p0));
        y = WHERE_f64(far, top, y);
        z = WHERE_f64(far, bottom, z);
    }
    return COPYSIGN(y / z * WHERE_f64(far, C_f64(1), q), -tail);
}

// Where samples are rejected, each has 24 blocks of its own, those from ``block`` on. The loops end when all lanes are
// done, and always after 24 blocks; that a lane is not done then is less likely than 2^-64.

//: for T in f32 f64

// Marsaglia and Tsang, "A simple method for generating gamma variables", TOMS 26 (2000): d (1 + w)^3, w = x / sqrt(9 d)
// of a normal x, taken if log(u) < x^2 / 2 + d (1 - (1 + w)^3 + 3 log(1 + w)). An attempt fails one time in 20 at most;
// after all the sample is d. (1 + w)^3 - 1 is returned, with all its digits, and ``wanted`` is d. Shapes below 1 take a
// sample of shape + 1 times u^(1 / shape), whose negative logarithm is ``less``.
FN R_$T scaled_gamma_$T(
    R_$T *wanted, R_$T *less, R_i64 block, R_$T shape, R_u64 k, R_u64 l, R_u64 c, R_u64 d, R_u64 e, R_u64 f
) {
    R_b8 below = LT(shape, C_$T(1)), open = GE(shape, C_$T(0));
    R_$T size = WHERE_$T(below, shape + C_$T(1), shape) - C_$T(0.33333333333333333333);
    R_$T slope = C_$T(1) / SQRT(C_$T(9) * size), found = WHERE_$T(open, C_$T(0), NAN_$T);
    *less = C_$T(0);
    *wanted = size;
    for (int attempt = 0; attempt < 24 && ANY(open); attempt++) {
        R_u64 words[4];
        philox_block_u64(words, block + C_i64(attempt), k, l, c, d, e, f);
        R_$T x = standard_normal_$T(tail_$U(bits_$U(words[0])));
        R_$T w = slope * x, v = C_$T(1) + w;
        R_b8 inside = GT(v, C_$T(0));
        R_$T rest = log1p_$T(WHERE_$T(inside, w, C_$T(0))) - FMA(C_$T(-0.5) * w, w, w);
        R_$T least = -standard_exponential_$T(tail_$U(bits_$U(words[1])));
        R_b8 taken = open & inside & LT(least, size * FMA(C_$T(3), rest, -(w * w * w)));
        found = WHERE_$T(taken, w * FMA(w, C_$T(3) + w, C_$T(3)), found);
        if (attempt == 0) {
            R_$T power = standard_exponential_$T(tail_$U(bits_$U(words[2]))) / shape;
            *less = WHERE_$T(below, power, C_$T(0));
        }
        open = open & ~taken;
    }
    return found;
}

FN R_$T standard_gamma_$T(R_i64 block, R_$T shape, R_u64 k, R_u64 l, R_u64 c, R_u64 d, R_u64 e, R_u64 f) {
    R_$T size, less, found = scaled_gamma_$T(&size, &less, block, shape, k, l, c, d, e, f);
    return WHERE_$T(EQ(shape, INF_$T), shape, FMA(size, found, size) * exp_$T(-less));
}

// Its logarithm, which is finite where the sample itself is too small for the dtype.
FN R_$T log_gamma_sample_$T(R_i64 block, R_$T shape, R_u64 k, R_u64 l, R_u64 c, R_u64 d, R_u64 e, R_u64 f) {
    R_$T size, less, found = scaled_gamma_$T(&size, &less, block, shape, k, l, c, d, e, f);
    return log_$T(size) + (log1p_$T(found) - less);
}

// Best and Fisher, "Efficient simulation of the von Mises distribution", Applied Statistics 28 (1979): an attempt takes
// two words and fails one time in 3 at most; after all the sample is the mode. Beyond 10^6 the normal distribution.
// With z = cos(2 part), w = (1 + s z) / (s + z), ``over`` is s - 1 and ``height`` (1 - w) / 2 = sin(angle / 2)^2.
FN R_$T vonmises_$T(R_i64 block, R_$T kappa, R_u64 k, R_u64 l, R_u64 c, R_u64 d, R_u64 e, R_u64 f) {
    R_u64 words[4];
    R_b8 open = GE(kappa, C_$T(0)), narrow = GT(kappa, C_$T(1e6));
    R_$T size = WHERE_$T(GT(kappa, C_$T(0x1p-20)), kappa, C_$T(0x1p-20)), angle = WHERE_$T(open, C_$T(0), NAN_$T);
    R_$T r = C_$T(1) + SQRT(FMA(C_$T(4) * size, size, C_$T(1)));
    R_$T rho = (r - SQRT(r + r)) / (size + size), apart = C_$T(1) - rho, over = apart * apart / (rho + rho);
    over = WHERE_$T(LT(size, C_$T(0x1p-6)), C_$T(1) / size + size - C_$T(1), over);
    for (int attempt = 0; attempt < 48 && ANY(open); attempt++) {
        philox_attempt_u64(words, block, attempt, k, l, c, d, e, f);
        R_$T u = tail_$U(bits_$U(words[0])), v = ABS(tail_$U(bits_$U(words[1]))) * C_$T(2);
        R_$T sine = sin_$T(ABS(u) * C_$T(3.1415926535897932385)), part = sine * sine;
        R_$T height = over * part / (over + C_$T(2) - (part + part)), y = size * FMA(C_$T(2), height, over);
        R_b8 at_once = GT(FMA(y, C_$T(2) - y, -v), C_$T(0));
        R_b8 taken = open & (at_once | GE(log_$T(y / v) + C_$T(1) - y, C_$T(0)));
        R_$T found = C_$T(2) * asin_$T(SQRT(WHERE_$T(GT(height, C_$T(1)), C_$T(1), height)));
        angle = WHERE_$T(taken, COPYSIGN(found, u), angle);
        open = open & ~taken;
    }
    philox_block_u64(words, block, k, l, c, d, e, f);
    R_$T normal = standard_normal_$T(tail_$U(bits_$U(words[0])));
    return WHERE_$T(narrow, normal / SQRT(kappa), angle);
}
