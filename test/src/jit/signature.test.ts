/** Parameters as they are written in sources. */

import { parseSignatures, type KernelParameter } from '../../../src/jit/signature.ts';

function parametersOf(list: string): readonly KernelParameter[] {
  return parseSignatures(`extern "C" __global__ void k(${list}) {}`).get('k') ?? [];
}

function only(declaration: string): KernelParameter {
  const [parameter, ...rest] = parametersOf(declaration);
  if (parameter === undefined || rest.length > 0) throw new Error(`${rest.length + 1} parameters`);
  return parameter;
}

describe('values', () => {
  test.each([
    ['bool b', 'bool', 1],
    ['char c', 'int', 1],
    ['signed char c', 'int', 1],
    ['unsigned char c', 'uint', 1],
    ['char unsigned c', 'uint', 1],
    ['short s', 'int', 2],
    ['short int s', 'int', 2],
    ['signed short int s', 'int', 2],
    ['unsigned short int s', 'uint', 2],
    ['int n', 'int', 4],
    ['const int n', 'int', 4],
    ['int const n', 'int', 4],
    ['signed n', 'int', 4],
    ['signed int n', 'int', 4],
    ['unsigned n', 'uint', 4],
    ['unsigned int n', 'uint', 4],
    ['int unsigned n', 'uint', 4],
    ['long n', 'int', 8],
    ['long int n', 'int', 8],
    ['unsigned long n', 'uint', 8],
    ['unsigned long int n', 'uint', 8],
    ['long long n', 'int', 8],
    ['long long int n', 'int', 8],
    ['signed long long n', 'int', 8],
    ['unsigned long long int n', 'uint', 8],
    ['long unsigned int long n', 'uint', 8],
    ['int8_t n', 'int', 1],
    ['std::int16_t n', 'int', 2],
    ['::std::int32_t n', 'int', 4],
    ['cuda::std::int64_t n', 'int', 8],
    ['uint8_t n', 'uint', 1],
    ['uint16_t n', 'uint', 2],
    ['uint32_t n', 'uint', 4],
    ['uint64_t n', 'uint', 8],
    ['size_t n', 'uint', 8],
    ['std::ptrdiff_t n', 'int', 8],
    ['uintptr_t n', 'uint', 8],
    ['half h', 'float', 2],
    ['__half h', 'float', 2],
    ['float x', 'float', 4],
    ['const volatile double x', 'float', 8],
    ['cuFloatComplex z', 'complex', 8],
    ['cuDoubleComplex z', 'complex', 16],
    ['std::complex<float> z', 'complex', 8],
    ['thrust::complex< double > z', 'complex', 16],
    ['float2 v', 'complex', 8],
    ['const __grid_constant__ int n', 'int', 4],
    ['[[maybe_unused]] int n', 'int', 4]
  ])('%s', (declaration, kind, bytes) => {
    expect(only(declaration)).toMatchObject({ role: 'value', type: { kind, bytes } });
    expect(only(declaration).name).toMatch(/^[a-z]$/);
  });

  test.each(['int', 'const int', 'signed', 'unsigned int', 'unsigned long', 'long long', 'unsigned char'])(
    '%s without a name',
    declaration => {
      const named = only(`${declaration} n`);
      expect(only(declaration)).toEqual({ ...named, text: declaration, name: '' });
    }
  );

  test.each([
    'Params p',
    'struct Params p',
    'T x',
    'long double x',
    'cuda::std::array<float, 4> a',
    '__nv_bfloat16 b',
    'float4 v'
  ])('%s has an unknown type', declaration => {
    expect(only(declaration)).toMatchObject({ role: 'value', type: null, text: declaration });
  });
});

describe('pointers', () => {
  test.each([
    ['float* x', false, ['float32']],
    ['float *x', false, ['float32']],
    ['float*x', false, ['float32']],
    ['const float* x', true, ['float32']],
    ['float const* x', true, ['float32']],
    ['float const * const x', true, ['float32']],
    ['float* const x', false, ['float32']],
    ['const float* __restrict__ x', true, ['float32']],
    ['const float* const __restrict x', true, ['float32']],
    ['float* __restrict__ x', false, ['float32']],
    ['volatile int* x', false, ['int32']],
    ['const volatile unsigned  int * x', true, ['uint32']],
    ['unsigned long long* x', false, ['uint64']],
    ['bool* x', false, ['bool']],
    ['uint8_t* x', false, ['uint8', 'bool']],
    ['signed char* x', false, ['int8']],
    ['char* x', false, null],
    ['const unsigned char* x', true, null],
    ['void* x', false, null],
    ['const void* x', true, null],
    ['half* x', false, ['float16']],
    ['const __half2* x', true, ['float16']],
    ['__nv_bfloat16* x', false, ['bfloat16']],
    ['__nv_fp8_e4m3* x', false, ['float8_e4m3fn']],
    ['float4* x', false, ['float32']],
    ['const cuFloatComplex* x', true, ['complex64']],
    ['cuda::std::complex<double> *x', false, ['complex128']],
    ['const thrust::complex< float >* x', true, ['complex64']],
    ['const float x[]', true, ['float32']],
    ['int x[16]', false, ['int32']],
    ['T* x', false, null],
    ['const Params* x', true, null],
    ['const struct Params* x', true, null]
  ])('%s', (declaration, readOnly, dtypes) => {
    expect(only(declaration)).toMatchObject({ role: 'pointer', name: 'x', readOnly, dtypes });
  });

  test('to pointers have no known target type', () => {
    for (const declaration of [
      'const float** x',
      'float* const* x',
      'const float* const* x',
      'const float* x[4]'
    ]) {
      expect(only(declaration)).toMatchObject({ role: 'pointer', readOnly: false, dtypes: null });
    }
  });

  test('to functions and to arrays have an unknown type', () => {
    expect(only('float (*f)(float, int)')).toMatchObject({ role: 'pointer', dtypes: null });
    expect(only('float (*rows)[4]')).toMatchObject({ role: 'pointer', dtypes: null });
  });

  test('can have no name', () => {
    expect(only('const float*')).toMatchObject({
      role: 'pointer',
      name: '',
      readOnly: true,
      dtypes: ['float32']
    });
    expect(only('int[]')).toMatchObject({ role: 'pointer', name: '', dtypes: ['int32'] });
  });
});

describe('lists', () => {
  test('can be empty', () => {
    for (const list of ['', ' ', 'void', ' void ', '/* nothing */']) expect(parametersOf(list)).toEqual([]);
  });

  test('can have comments, several lines, brackets and defaults', () => {
    const parameters = parametersOf(`
      const float* x, // the input, n values
      cuda::std::array<int, 3> shape, /* three, of
      them */ float* out,
      int n = f(1, 2), int m = 1 << 3, bool less = 1 < 2,
      int (*f)(int, int), Params p = {1, 2}`);
    expect(parameters.map(({ text }) => text)).toEqual([
      'const float* x',
      'cuda::std::array<int, 3> shape',
      'float* out',
      'int n',
      'int m',
      'bool less',
      'int (*f)(int, int)',
      'Params p'
    ]);
  });
});

describe('functions', () => {
  const names = (source: string): string[] => [...parseSignatures(source).keys()];

  test('can have attributes and bounds in any order', () => {
    const source = `
      extern "C" __global__ void __launch_bounds__(256) a(int n) {}
      __launch_bounds__(MOST(256), 2) __global__ void b(int n) {}
      __global__ __cluster_dims__(2, 1, 1) __launch_bounds__(MOST(2, 3)) void c(int n) {}
      static __global__
      void
      d (int n);
      __global__ __attribute__((used)) void e(int n) {}`;
    expect(names(source)).toEqual(['a', 'b', 'c', 'd', 'e']);
    for (const [parameter] of parseSignatures(source).values()) expect(parameter?.text).toBe('int n');
  });

  test('can be templates, specializations and members of namespaces', () => {
    const source = `
      namespace deep { template <typename T, int N = 4> __global__ void scale(T* x, const T a, float b) {} }
      template <> __global__ void other<float>(float* x) {}`;
    expect(names(source)).toEqual(['scale', 'other']);
    expect(parseSignatures(source).get('scale')).toMatchObject([
      { role: 'pointer', dtypes: null },
      { role: 'value', type: null },
      { role: 'value', type: { kind: 'float' } }
    ]);
  });

  test('in comments and strings are ignored', () => {
    const source = `
      // __global__ void a(int n) {}
      /* __global__ void b(int n) {} */
      const char* text = "__global__ void c(int n) \\" // {}";
      const char* open = "/*"; __global__ void d(int n) {} const char* close = "*/";
      __device__ void e(int n) {}`;
    expect(names(source)).toEqual(['d']);
  });

  test('that are declared first and defined later are one', () => {
    const source = '__global__ void a(const int*, float);\n__global__ void a(const int* x, float y) {}';
    expect(
      parseSignatures(source)
        .get('a')
        ?.map(({ name }) => name)
    ).toEqual(['x', 'y']);
  });

  test('of one name with different parameters are left out, because they are ambiguous', () => {
    expect(
      names('__global__ void a(float* x) {} __global__ void a(double* x) {} __global__ void b() {}')
    ).toEqual(['b']);
    expect(names('namespace n { __global__ void a(const int* x) {} } __global__ void a(int* x) {}')).toEqual(
      []
    );
  });

  test('that are cut off in the middle do not throw', () => {
    for (const source of [
      '__global__',
      '__global__ void',
      '__global__ void a(',
      '__global__ void a(int n',
      '/* __global__'
    ])
      expect(() => parseSignatures(source)).not.toThrow();
  });
});
