// Trigonometric functions of real floating-point numbers, and their inverses.

// Inverse trigonometric functions. H and L: pi / 2.

// asin(s) = s + s w (...) with w = s^2; beyond 1/2 from asin(a) = pi / 2 - 2 asin(sqrt((1 - a) / 2)).
//: for T H L in f32 0x1.921fb6p0 -0x1.777a5cp-25  f64 0x1.921fb54442d18p0 0x1.1a62633145c07p-54
FN R_$T asin_$T(R_$T x) {
    R_$T a = ABS(x);
    R_b8 large = GT(a, C_$T(0.5));
    R_$T w = WHERE_$T(large, (C_$T(1) - a) * C_$T(0.5), a * a), s = WHERE_$T(large, SQRT(w), a);
    R_$T rest = s * w * asin_tail_$T(w);
    R_$T from_end = (C_$T($H) - (s + s)) + (C_$T($L) - (rest + rest));
    return COPYSIGN(WHERE_$T(large, from_end, s + rest), x);
}

FN R_$T acos_$T(R_$T x) {
    R_$T a = ABS(x);
    R_b8 large = GT(a, C_$T(0.5));
    R_$T w = WHERE_$T(large, (C_$T(1) - a) * C_$T(0.5), a * a), s = WHERE_$T(large, SQRT(w), x);
    R_$T rest = s * w * asin_tail_$T(w);
    R_$T angle = WHERE_$T(large & GT(x, C_$T(0)), s + rest, (C_$T($H) - s) + (C_$T($L) - rest));
    return WHERE_$T(large, angle + angle, angle);
}

// atan(t) = t + t w (...) with w = t^2, and beyond 1 from atan(a) = pi / 2 - atan(1 / a).
FN R_$T atan_$T(R_$T x) {
    R_$T a = ABS(x), one = C_$T(1);
    R_b8 steep = GT(a, one);
    R_$T t = WHERE_$T(steep, one, a) / WHERE_$T(steep, a, one), w = t * t;
    R_$T rest = t * w * atan_tail_$T(w);
    return COPYSIGN(WHERE_$T(steep, (C_$T($H) - t) + (C_$T($L) - rest), t + rest), x);
}

// The angle from the nearer axis, turned to where the point is.
FN R_$T atan2_$T(R_$T y, R_$T x) {
    R_$T a = ABS(x), b = ABS(y);
    R_b8 steep = GT(b, a), left = signbit_$T(x), away = steep ^ left;
    R_$T small = WHERE_$T(steep, a, b), large = WHERE_$T(steep, b, a);
    R_$T t = small / WHERE_$T(EQ(large, C_$T(0)), C_$T(1), large);
    t = WHERE_$T(EQ(a, INF_$T) & EQ(b, INF_$T), C_$T(1), t);
    // The error of the quotient, as an angle; the sum loses less than a bit of the axis, too.
    R_$T lost = FMA(-t, large, small) / FMA(t, small, large);
    lost = WHERE_$T(GT(large, C_$T(0)) & LT(large, INF_$T), lost, C_$T(0));
    R_$T w = t * t, rest = FMA(t * w, atan_tail_$T(w), lost);
    R_$T axis = WHERE_$T(steep, C_$T($H), WHERE_$T(left, C_$T(2 * $H), C_$T(0)));
    R_$T low = WHERE_$T(steep, C_$T($L), WHERE_$T(left, C_$T(2 * $L), C_$T(0)));
    t = WHERE_$T(away, -t, t);
    R_$T sum = axis + t;
    return COPYSIGN(sum + (low + ((t - (sum - axis)) + WHERE_$T(away, -rest, rest))), y);
}

// Sine, cosine and tangent. The argument is taken to within an eighth of a turn of a quarter turn q.

//: for T in u64
// The first 128 bits after the point of m 2^e / (2 pi), m below 2^53, e from -30 to 971. A word of 2 / pi
// in front of a lane's seven would only add whole turns, what follows them is below the last bit.
FN void turns_u64(R_u64 m, R_i64 e, R_u64 *high, R_u64 *low) {
    const M_u32 two_over_pi[38] = {
        0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
        0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
        0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
        0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
        0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};
    R_u64 mask = C_u64(0xffffffffu), width = C_u64(32);
    R_u64 m0 = m & mask, m1 = m >> width;
    R_i64 first = WHERE_i64(LT(e, C_i64(2)), C_i64(0), (e - C_i64(2)) >> C_i64(5));
    R_u64 top = C_u64(0), middle = C_u64(0), bottom = C_u64(0), carry = C_u64(0), last = C_u64(0);
    for (int k = 37; k >= -1; k--) {
        R_i64 place = C_i64(k) - first;
        R_b8 used = GE(place, C_i64(-1)) & LE(place, C_i64(6));
        R_u64 word = WHERE_u64(GE(place, C_i64(0)) & used, C_u64(two_over_pi[k < 0 ? 0 : k]), C_u64(0));
        R_u64 a = m0 * word + carry;
        R_u64 b = m1 * last + (a & mask);
        bottom = WHERE_u64(used, bottom >> width | middle << width, bottom);
        middle = WHERE_u64(used, middle >> width | top << width, middle);
        top = WHERE_u64(used, top >> width | b << width, top);
        carry = WHERE_u64(used, (a >> width) + (b >> width), C_u64(0));
        last = word;
    }
    R_u64 shift = AS_u64(e - (first << C_i64(5))) + C_u64(30), back = C_u64(63) - shift;
    *high = top << shift | (middle >> C_u64(1)) >> back;
    *low = middle << shift | (bottom >> C_u64(1)) >> back;
}

//: for T in f32
// q and r with x = (q + r') pi / 2, r = r' pi / 2, for x >= 0. An infinity or NaN gives r = NaN.
FN R_u32 quarter_f32(R_f32 x, R_f32 *r) {
    R_f32 shifted = FMA(x, C_f32(0x1.45f306p-1), C_f32(0x1.8p23));
    R_f32 n = shifted - C_f32(0x1.8p23);
    R_u32 q = AS_u32(shifted);
    R_f32 rest = FMA(n, C_f32(-0x1.921fb6p0), x);
    rest = FMA(n, C_f32(0x1.777a5cp-25), rest);
    rest = FMA(n, C_f32(0x1.ee59dap-50), rest);
    R_b8 large = GE(x, C_f32(0x1p16)) & LT(x, INF_f32);
    if (ANY(large)) {
        R_u32 bits = AS_u32(x);
        R_u64 high, low;
        R_u32 m = (bits & C_u32(0x7fffff)) | C_u32(0x800000);
        R_u32 exponent = WHERE_u32(large, bits >> C_u32(23), C_u32(150));
        turns_u64(TO_u64(m), TO_i64(AS_i32(exponent)) - C_i64(150), &high, &low);
        R_u64 quarters = (high + (C_u64(1) << C_u64(61))) >> C_u64(62);
        R_i64 part = AS_i64(high - (quarters << C_u64(62)));
        q = WHERE_u32(large, TO_u32(quarters), q);
        R_f32 a = TO_f32(part), b = TO_f32(part - TO_i64(a)) * C_f32(0x1.921fb6p-62);
        R_f32 angle = FMA(a, C_f32(0x1.921fb6p-62), FMA(a, C_f32(-0x1.777a5cp-87), b));
        rest = WHERE_f32(large, angle, rest);
    }
    *r = rest;
    return q;
}

FN R_f32 sin_f32(R_f32 x) {
    R_f32 r;
    R_u32 q = quarter_f32(ABS(x), &r);
    R_f32 size = WHERE_f32(NE(q & C_u32(1), C_u32(0)), cosine_f32(r), sine_f32(r));
    return AS_f32(AS_u32(size) ^ ((q << C_u32(30) ^ AS_u32(x)) & C_u32(0x80000000u)));
}

FN R_f32 cos_f32(R_f32 x) {
    R_f32 r;
    R_u32 q = quarter_f32(ABS(x), &r) + C_u32(1);
    R_f32 size = WHERE_f32(NE(q & C_u32(1), C_u32(0)), cosine_f32(r), sine_f32(r));
    return AS_f32(AS_u32(size) ^ (q << C_u32(30) & C_u32(0x80000000u)));
}

// Given q and r of |x|.
FN R_f32 tan_of_f32(R_f32 x, R_u32 q, R_f32 r) {
    R_b8 odd = NE(q & C_u32(1), C_u32(0));
    R_f32 s = sine_f32(r), c = cosine_f32(r);
    R_f32 size = WHERE_f32(odd, -c, s) / WHERE_f32(odd, s, c);
    return AS_f32(AS_u32(size) ^ (AS_u32(x) & C_u32(0x80000000u)));
}

FN R_f32 tan_f32(R_f32 x) {
    R_f32 r;
    R_u32 q = quarter_f32(ABS(x), &r);
    return tan_of_f32(x, q, r);
}

//: for T in f64
// As quarter_f32, with the part of r that a double cannot hold.
FN R_u64 quarter_f64(R_f64 x, R_f64 *r, R_f64 *tail) {
    R_f64 shifted = FMA(x, C_f64(0x1.45f306dc9c883p-1), C_f64(0x1.8p52));
    R_f64 n = shifted - C_f64(0x1.8p52);
    R_u64 q = AS_u64(shifted);
    R_f64 first = FMA(n, C_f64(-0x1.921fb54442d18p0), x);
    R_f64 second = n * C_f64(-0x1.1a62633145c07p-54);
    R_f64 head = first + second;
    R_f64 second_of_head = head - first;
    R_f64 lost = (first - (head - second_of_head)) + (second - second_of_head);
    R_f64 rounded_off = FMA(n, C_f64(-0x1.1a62633145c07p-54), -second);
    R_f64 rest = FMA(n, C_f64(0x1.f1976b7ed8fbcp-110), rounded_off + lost);
    R_b8 large = GE(x, C_f64(0x1p22)) & LT(x, INF_f64);
    if (ANY(large)) {
        R_u64 bits = AS_u64(x), high, low;
        R_u64 m = (bits & C_u64(0xfffffffffffff)) | C_u64(0x10000000000000);
        R_u64 exponent = WHERE_u64(large, bits >> C_u64(52), C_u64(1075));
        turns_u64(m, AS_i64(exponent) - C_i64(1075), &high, &low);
        R_u64 quarters = (high + (C_u64(1) << C_u64(61))) >> C_u64(62);
        R_i64 part = AS_i64(high - (quarters << C_u64(62)));
        R_f64 a = TO_f64(part);
        R_f64 b = TO_f64(part - TO_i64(a)) + TO_f64(low) * C_f64(0x1p-64);
        R_f64 sum = a + b, sum2 = b - (sum - a);
        R_f64 angle = sum * C_f64(0x1.921fb54442d18p-62);
        R_f64 angle2 = FMA(sum, C_f64(0x1.921fb54442d18p-62), -angle);
        angle2 = angle2 + FMA(sum, C_f64(0x1.1a62633145c07p-116), sum2 * C_f64(0x1.921fb54442d18p-62));
        q = WHERE_u64(large, quarters, q);
        head = WHERE_f64(large, angle, head);
        rest = WHERE_f64(large, angle2, rest);
    }
    *r = head;
    *tail = rest;
    return q;
}

FN R_f64 sin_f64(R_f64 x) {
    R_f64 r, tail;
    R_u64 q = quarter_f64(ABS(x), &r, &tail);
    R_f64 size = WHERE_f64(NE(q & C_u64(1), C_u64(0)), cosine_f64(r, tail), sine_f64(r, tail));
    return AS_f64(AS_u64(size) ^ ((q << C_u64(62) ^ AS_u64(x)) & C_u64(0x8000000000000000u)));
}

FN R_f64 cos_f64(R_f64 x) {
    R_f64 r, tail;
    R_u64 q = quarter_f64(ABS(x), &r, &tail) + C_u64(1);
    R_f64 size = WHERE_f64(NE(q & C_u64(1), C_u64(0)), cosine_f64(r, tail), sine_f64(r, tail));
    return AS_f64(AS_u64(size) ^ (q << C_u64(62) & C_u64(0x8000000000000000u)));
}

FN R_f64 tan_f64(R_f64 x) {
    R_f64 r, tail;
    R_b8 odd = NE(quarter_f64(ABS(x), &r, &tail) & C_u64(1), C_u64(0));
    R_f64 s = sine_f64(r, tail), c = cosine_f64(r, tail);
    R_f64 size = WHERE_f64(odd, -c, s) / WHERE_f64(odd, s, c);
    return AS_f64(AS_u64(size) ^ (AS_u64(x) & C_u64(0x8000000000000000u)));
}

// Polynomials, fitted so that the largest relative error of the whole function is least. w is a square.

//: for T in f32
// (asin(s) / s - 1) / s^2 over s^2 = w <= 1/4: 2^-27.
FN R_f32 asin_tail_f32(R_f32 w) {
    R_f32 p = FMA(C_f32(0x1.595c96p-5), w, C_f32(0x1.8c3e26p-6));
    p = FMA(p, w, C_f32(0x1.747bbap-5));
    p = FMA(p, w, C_f32(0x1.330204p-4));
    return FMA(p, w, C_f32(0x1.5555c8p-3));
}

// (atan(t) / t - 1) / t^2 over t^2 = w <= 1: 2^-28.
FN R_f32 atan_tail_f32(R_f32 w) {
    R_f32 p = FMA(C_f32(-0x1.d4f65ap-10), w, C_f32(0x1.64eef8p-7));
    p = FMA(p, w, C_f32(-0x1.fe1e3p-6));
    p = FMA(p, w, C_f32(0x1.da6b4cp-5));
    p = FMA(p, w, C_f32(-0x1.581774p-4));
    p = FMA(p, w, C_f32(0x1.c08f82p-4));
    p = FMA(p, w, C_f32(-0x1.2420aap-3));
    p = FMA(p, w, C_f32(0x1.9991e4p-3));
    return FMA(p, w, C_f32(-0x1.55553ep-2));
}

// sin(r) and cos(r) for |r| <= pi / 4: 2^-28 and 2^-33.
FN R_f32 sine_f32(R_f32 r) {
    R_f32 w = r * r;
    R_f32 p = FMA(C_f32(-0x1.992a9p-13), w, C_f32(0x1.1106e2p-7));
    return FMA(r * w, FMA(p, w, C_f32(-0x1.555544p-3)), r);
}

FN R_f32 cosine_f32(R_f32 r) {
    R_f32 w = r * r;
    R_f32 p = FMA(C_f32(0x1.99e8c8p-16), w, C_f32(-0x1.6c0c2ap-10));
    return FMA(w * w, FMA(p, w, C_f32(0x1.55554ap-5)), FMA(w, C_f32(-0.5), C_f32(1)));
}

//: for T in f64
// 2^-55.
FN R_f64 asin_tail_f64(R_f64 w) {
    R_f64 p = FMA(C_f64(0x1.0577f3142313ep-5), w, C_f64(-0x1.09e12c17f14fep-6));
    p = FMA(p, w, C_f64(0x1.3ff578a86efp-6));
    p = FMA(p, w, C_f64(0x1.abd5c827c8da2p-8));
    p = FMA(p, w, C_f64(0x1.8ec1e69eafb3ep-7));
    p = FMA(p, w, C_f64(0x1.c6fde55649bc5p-7));
    p = FMA(p, w, C_f64(0x1.1c6be0f1f7d1cp-6));
    p = FMA(p, w, C_f64(0x1.6e89f435d7f84p-6));
    p = FMA(p, w, C_f64(0x1.f1c72c39f112p-6));
    p = FMA(p, w, C_f64(0x1.6db6db4277bcp-5));
    p = FMA(p, w, C_f64(0x1.333333336e83ap-4));
    return FMA(p, w, C_f64(0x1.555555555539p-3));
}

// 2^-57.
FN R_f64 atan_tail_f64(R_f64 w) {
    R_f64 p = FMA(C_f64(0x1.bbdb56a3e6c9p-17), w, C_f64(-0x1.3f2b31d467425p-13));
    p = FMA(p, w, C_f64(0x1.b3ee520406978p-11));
    p = FMA(p, w, C_f64(-0x1.7a3102d92537fp-9));
    p = FMA(p, w, C_f64(0x1.d7b1084ff1b85p-8));
    p = FMA(p, w, C_f64(-0x1.c78a380606515p-7));
    p = FMA(p, w, C_f64(0x1.6839e6ae0f44cp-6));
    p = FMA(p, w, C_f64(-0x1.e9f7c3b98a00ep-6));
    p = FMA(p, w, C_f64(0x1.2c2da8a870667p-5));
    p = FMA(p, w, C_f64(-0x1.59a3a8e8c360ap-5));
    p = FMA(p, w, C_f64(0x1.82dab782470e3p-5));
    p = FMA(p, w, C_f64(-0x1.ae5e69882bf2bp-5));
    p = FMA(p, w, C_f64(0x1.e1bba467ce0dbp-5));
    p = FMA(p, w, C_f64(-0x1.110e50fce614bp-4));
    p = FMA(p, w, C_f64(0x1.3b13669534c8ap-4));
    p = FMA(p, w, C_f64(-0x1.745d11ae0dad6p-4));
    p = FMA(p, w, C_f64(0x1.c71c717fca176p-4));
    p = FMA(p, w, C_f64(-0x1.249249237f439p-3));
    p = FMA(p, w, C_f64(0x1.99999999955bp-3));
    return FMA(p, w, C_f64(-0x1.5555555555526p-2));
}

// sin(r + tail) and cos(r + tail): 2^-58 and 2^-64.
FN R_f64 sine_f64(R_f64 r, R_f64 tail) {
    R_f64 w = r * r;
    R_f64 p = FMA(C_f64(0x1.5d8ca36ded477p-33), w, C_f64(-0x1.ae5e4ff5d7264p-26));
    p = FMA(p, w, C_f64(0x1.71de355a95e44p-19));
    p = FMA(p, w, C_f64(-0x1.a01a019beea53p-13));
    p = FMA(p, w, C_f64(0x1.111111110f74fp-7));
    p = FMA(p, w, C_f64(-0x1.5555555555548p-3));
    return r + FMA(r * w, p, FMA(tail * w, C_f64(-0.5), tail));
}

FN R_f64 cosine_f64(R_f64 r, R_f64 tail) {
    R_f64 w = r * r;
    R_f64 p = FMA(C_f64(-0x1.8fa6f70cbee39p-37), w, C_f64(0x1.1ee9dcfb2576ep-29));
    p = FMA(p, w, C_f64(-0x1.27e4f7f39861ep-22));
    p = FMA(p, w, C_f64(0x1.a01a019c91fc8p-16));
    p = FMA(p, w, C_f64(-0x1.6c16c16c1502bp-10));
    p = FMA(p, w, C_f64(0x1.555555555554bp-5));
    R_f64 head = FMA(w, C_f64(-0.5), C_f64(1));
    R_f64 lost = FMA(w, C_f64(-0.5), C_f64(1) - head);
    return head + (lost + FMA(w * w, p, -(r * tail)));
}
