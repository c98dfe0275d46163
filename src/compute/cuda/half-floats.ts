/** Conversions of 16-bit floats in CUDA C++, without any header: for array operations and for kernels in TypeScript. Pure. */

/** Functions by name. */
export const HALF_FLOATS = {
  fromF16: `__device__ __forceinline__ float fromF16(unsigned short code) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(code));
  return value;
}`,
  toF16: `__device__ __forceinline__ unsigned short toF16(float value) {
  unsigned short code;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(code) : "f"(value));
  return code;
}`,
  fromBf16: `__device__ __forceinline__ float fromBf16(unsigned short code) {
  return __uint_as_float((unsigned)code << 16);
}`
} as const;
