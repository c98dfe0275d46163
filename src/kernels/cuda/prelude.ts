/** Functions of CUDA C++ that emitted kernels use, without any header. Pure. */

import { HALF_FLOATS } from '../../compute/cuda/half-floats.ts';

const DEVICE = '__device__ __forceinline__';

/** Makes a function that replaces a float by the lesser or greater of it and another number, as loop of compare and swap. */
const replacing = (name: string, operator: string, float: 'float' | 'double'): string => {
  const [word, toWord, toFloat] =
    float === 'float'
      ? ['unsigned', '__float_as_uint', '__uint_as_float']
      : ['unsigned long long', '(unsigned long long)__double_as_longlong', '__longlong_as_double'];
  return `${DEVICE} ${float} ${name}(${float}* at, ${float} value) {
  ${word}* word = (${word}*)at;
  // Read past the first cache, which may hold an older value.
  ${word} found = *(volatile ${word}*)word, old;
  do {
    old = found;
    if (!(value ${operator} ${toFloat}(old))) break;
    found = atomicCAS(word, old, ${toWord}(value));
  } while (found != old);
  return ${toFloat}(old);
}`;
};

const replacingBoth = (name: string, operator: string): string =>
  `${replacing(name, operator, 'float')}\n${replacing(name, operator, 'double')}`;

/** Makes the lesser or greater of two numbers: NaN if either is NaN, and -0 below 0. */
const extreme = (name: string, instruction: string, chosen: string): string =>
  `${DEVICE} double ${name}(double a, double b) {
  return a != a ? a : b != b ? b : ${chosen} ? a : b;
}
${DEVICE} float ${name}(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float result;
  asm("${instruction}.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a != a ? a : b != b ? b : ${chosen} ? a : b;
#endif
}`;

/** Functions by name, each behind those that it calls. */
const PIECES = {
  ...HALF_FLOATS,
  toBf16: `${DEVICE} unsigned short toBf16(float value) {
#if __CUDA_ARCH__ >= 800
  unsigned short code;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(code) : "f"(value));
  return code;
#else
  const unsigned bits = __float_as_uint(value);
  if (value != value) return 0x7fff;
  return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
#endif
}`,
  Vector: `template <typename T, int count> struct alignas(sizeof(T) * count) Vector {
  T at[count];
};`,
  least: extreme('least', 'min', 'a < b || (a == b && signbit(a))'),
  greatest: extreme('greatest', 'max', 'a > b || (a == b && !signbit(a))'),
  quotient: `template <typename T> ${DEVICE} T quotient(T a, T b) {
  if (b == 0) return (T)~(T)0;
  if ((T)-1 < (T)1 && b == (T)-1) return (T)(0 - (unsigned long long)a);
  return a / b;
}`,
  remainderOf: `template <typename T> ${DEVICE} T remainderOf(T a, T b) {
  if (b == 0) return a;
  if ((T)-1 < (T)1 && b == (T)-1) return 0;
  return a % b;
}`,
  floorQuotient: `template <typename T> ${DEVICE} T floorQuotient(T a, T b) {
  const T whole = quotient(a, b);
  const bool down = b != 0 && b != (T)-1 && (a ^ b) < 0 && a % b != 0;
  return down ? whole - 1 : whole;
}`,
  absolute: `${DEVICE} int absolute(int x) {
  return x < 0 ? (int)(0u - x) : x;
}
${DEVICE} long long absolute(long long x) {
  return x < 0 ? (long long)(0ull - x) : x;
}`,
  signOf: `template <typename T> ${DEVICE} T signOf(T x) {
  return x > 0 ? (T)1 : x < 0 ? (T)-1 : x;
}`,
  // A conversion of the hardware saturates, but makes the least value of NaN where one of both types has 64 bits.
  toInt: `${DEVICE} int toInt(double x) {
  return x != x ? 0 : __double2int_rz(x);
}`,
  toUnsigned: `${DEVICE} unsigned toUnsigned(double x) {
  return x > 0 ? __double2uint_rz(x) : 0u;
}`,
  toLong: `${DEVICE} long long toLong(float x) {
  return x != x ? 0ll : __float2ll_rz(x);
}
${DEVICE} long long toLong(double x) {
  return x != x ? 0ll : __double2ll_rz(x);
}`,
  toUnsignedLong: `${DEVICE} unsigned long long toUnsignedLong(float x) {
  return x > 0 ? __float2ull_rz(x) : 0ull;
}
${DEVICE} unsigned long long toUnsignedLong(double x) {
  return x > 0 ? __double2ull_rz(x) : 0ull;
}`,
  atomicLeast: replacingBoth('atomicLeast', '<'),
  atomicGreatest: replacingBoth('atomicGreatest', '>'),
  atomicExchange: `${DEVICE} double atomicExchange(double* at, double value) {
  return __longlong_as_double(atomicExch((unsigned long long*)at, (unsigned long long)__double_as_longlong(value)));
}`,
  // The bits are compared.
  atomicReplace: `${DEVICE} float atomicReplace(float* at, float expected, float value) {
  return __uint_as_float(atomicCAS((unsigned*)at, __float_as_uint(expected), __float_as_uint(value)));
}
${DEVICE} double atomicReplace(double* at, double expected, double value) {
  const unsigned long long old = atomicCAS((unsigned long long*)at, (unsigned long long)__double_as_longlong(expected),
                                           (unsigned long long)__double_as_longlong(value));
  return __longlong_as_double(old);
}`,
  allEqual: `template <typename T> ${DEVICE} unsigned allEqual(unsigned mask, T value) {
  int equal;
  return __match_all_sync(mask, value, &equal);
}`,
  laneId: `${DEVICE} int laneId() {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}`,
  dynamicBytes: `${DEVICE} unsigned dynamicBytes() {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}`,
  // Two registers hold the address of the memory that the driver gives a cooperative launch; its second word counts the blocks. The
  // first block adds so much that the highest bit changes when all have come.
  gridSync: `${DEVICE} void gridSync() {
  __syncthreads();
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
    unsigned high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    unsigned* word = (unsigned*)(((unsigned long long)high << 32 | low) + 4);
    const bool first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    __threadfence();
    const unsigned before = atomicAdd(word, first ? 0x80000000u - (blocks - 1u) : 1u);
    while (((before ^ *(volatile unsigned*)word) & 0x80000000u) == 0u) {}
    __threadfence();
  }
  __syncthreads();
}`
} as const;

export type PieceName = keyof typeof PIECES;

export const PIECE_NAMES = Object.keys(PIECES) as readonly PieceName[];

/** Returns the functions of the given names. */
export function preludeText(used: ReadonlySet<PieceName>): string {
  return PIECE_NAMES.filter(name => used.has(name))
    .map(name => `${PIECES[name]}\n\n`)
    .join('');
}
