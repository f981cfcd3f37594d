/* The dialect's first part on CUDA: the only text of device code with words of CUDA C++. NVRTC, which
   compiles it, has no standard headers; its mathematical functions are overloaded for float. The back
   end writes `#define LANES 1` before it, and dialect.h after it, which says what the words mean. */

#define KERNEL extern "C" __global__
#define GROUPS_OF(n) __launch_bounds__(n)
#define RESIDENT_GROUPS_OF(n, m) __launch_bounds__(n, m)
#define GLOBAL
#define LOCAL __shared__
#define SHARED
#define RESTRICT __restrict__
#define FN static __device__ inline
#define INLINED(t) t
#define CALLED_FN static __device__ __noinline__
#define OVERLOADED
#define GROUP_FN static __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#define IN_ORDER
#define GID ((long long)blockIdx.x * blockDim.x + threadIdx.x)
#define LID ((int)threadIdx.x)
#define GROUP ((long long)blockIdx.x)
#define GROUP_SIZE ((int)blockDim.x)
#define GROUPS ((long long)gridDim.x)
#define BARRIER __syncthreads()
#define GLOBAL_BARRIER __syncthreads()
#define MULTIPLY_HIGH(x, y) __umul64hi(x, y)
#define PRODUCT_u32(x, y) product_u32(x, y)

typedef unsigned char M_b8;
typedef unsigned short M_f16;
typedef signed char M_i8;
typedef short M_i16;
typedef int M_i32;
typedef long long M_i64;
typedef unsigned char M_u8;
typedef unsigned short M_u16;
typedef unsigned int M_u32;
typedef unsigned long long M_u64;
typedef float M_f32;
#define HAS_f64
typedef double M_f64;

#define ATOMIC_ADD(p, v) atomicAdd(p, v)
#define ATOMIC_OR(p, v) atomicOr(p, v)
#define ATOMIC_XCHG(p, v) atomicExch(p, v)

template <typename To, typename From> FN To same_bits(From v) {
    static_assert(sizeof(To) == sizeof(From), "AS_t: the widths differ");
    To bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
GROUP_FN M_u32 agree(M_u32 v, M_u32 bit) {
    M_u32 found;
    asm volatile("{ .reg .pred q; .reg .b32 own; and.b32 own, %1, %2; setp.ne.u32 q, own, 0;"
                 " vote.sync.ballot.b32 %0, q, 0xffffffff; @!q not.b32 %0, %0; }"
                 : "=r"(found) : "r"(v), "r"(bit));
    return found;
}
#define AGREE(v, bit) agree(v, bit)
/* In words of PTX, since NVRTC makes products of 64 bits of what is not said to have 32. */
FN M_u64 product_u32(M_u32 x, M_u32 y) {
    M_u64 product;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(x), "r"(y));
    return product;
}
#define PREFETCH_L2(p) asm volatile("prefetch.global.L2 [%0];" : : "l"(p))
#define WARP_BARRIER __syncwarp()
#define POPCOUNT(v) __popc(v)

//: for T in i32 i64 u32 u64 f32 f64
#define AS_$T(v) same_bits<M_$T>(v)

#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)

/* libdevice's, since conversions in words of PTX would be repeated wherever their results are wanted. */
extern "C" __device__ float __nv_half2float(unsigned short h);
extern "C" __device__ unsigned short __nv_float2half_rn(float x);
FN M_f32 FLOAT_OF_HALF(M_u16 h) { return __nv_half2float(h); }
FN M_u16 HALF_OF_FLOAT(M_f32 x) { return __nv_float2half_rn(x); }
#if __CUDA_ARCH__ >= 800
#define HAS_HALVES
#endif
