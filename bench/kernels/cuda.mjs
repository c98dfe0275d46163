/** The kernels of kernels.ts as one would write them in CUDA C++, with plain pointers and lengths. */
export const SOURCE = `
extern "C" __global__ void saxpy(const float* __restrict__ x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void stencil(const float* __restrict__ x, float* y, float k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) y[i] = k * (x[i - 1] + x[i] + x[i + 1]);
}
extern "C" __global__ void transpose(const float* __restrict__ x, float* y, int rows, int columns) {
  __shared__ float tile[32][33];
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (row + j < rows && column < columns) tile[threadIdx.y + j][threadIdx.x] = x[(row + j) * columns + column];
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x; row = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (row + j < columns && column < rows) y[(row + j) * rows + column] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void matmul(const float* __restrict__ a, const float* __restrict__ b, float* c, int n, int k) {
  __shared__ float left[32][32], right[32][32];
  int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * 32 + tx, row = blockIdx.y * 32 + ty;
  float sum = 0;
  for (int first = 0; first < k; first += 32) {
    left[ty][tx] = a[row * k + first + tx];
    right[ty][tx] = b[(first + ty) * n + column];
    __syncthreads();
    for (int j = 0; j < 32; j++) sum += left[ty][j] * right[j][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void blockSum(const float* __restrict__ x, float* out, int n) {
  __shared__ float partial[32];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
  if ((t & 31) == 0) partial[t >> 5] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x >> 5 ? partial[t] : 0;
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t == 0) atomicAdd(out, sum);
  }
}
extern "C" __global__ void histogram(const int* __restrict__ x, int* bins, int n) {
  __shared__ int own[256];
  int t = threadIdx.x;
  own[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[x[i] & 255], 1);
  __syncthreads();
  atomicAdd(&bins[t], own[t]);
}
extern "C" __global__ void mandelbrot(int* out, int rounds, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  double cx = -2 + 3.0 * column / columns, cy = -1.5 + 3.0 * row / rows, x = 0, y = 0;
  int n = 0;
  while (n < rounds && x * x + y * y <= 4) {
    double next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    n++;
  }
  out[row * columns + column] = n;
}
__device__ float normal(float d) { return 0.5f * (1 + erff(d * 0.70710678f)); }
extern "C" __global__ void blackScholes(const float* __restrict__ price, const float* __restrict__ strike, const float* __restrict__ years, float* call, float rate, float volatility, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = price[i], k = strike[i], t = years[i], root = sqrtf(t);
  float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root), d2 = d1 - volatility * root;
  call[i] = s * normal(d1) - k * expf(-rate * t) * normal(d2);
}
extern "C" __global__ void bodies(const float* __restrict__ position, float* force, float softening, int n) {
  __shared__ float px[256], py[256], pz[256], pm[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  float x = position[i], y = position[n + i], z = position[2 * n + i], fx = 0, fy = 0, fz = 0;
  for (int first = 0; first < n; first += 256) {
    px[t] = position[first + t]; py[t] = position[n + first + t]; pz[t] = position[2 * n + first + t]; pm[t] = position[3 * n + first + t];
    __syncthreads();
    for (int j = 0; j < 256; j++) {
      float dx = px[j] - x, dy = py[j] - y, dz = pz[j] - z, r = rsqrtf(dx * dx + dy * dy + dz * dz + softening), f = pm[j] * r * r * r;
      fx += f * dx; fy += f * dy; fz += f * dz;
    }
    __syncthreads();
  }
  force[i] = fx; force[n + i] = fy; force[2 * n + i] = fz;
}
extern "C" __global__ void nothing(float* x, float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 0) x[0] = y[0] = z[0] = n;
}
`;
