/** Skips a test under a plugin. */

/** For tests of the default manager's strategy, which a plugin replaces (rule 221). */
export const skipUnderPlugin: typeof test = ['', 'default'].includes(
  process.env['STRIDELAB_CUDA_MEMORY_MANAGER'] ?? ''
)
  ? test
  : test.skip;
