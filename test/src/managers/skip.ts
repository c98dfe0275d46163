/** The way to leave a test out under a plugin. */

/** For tests of the default manager's own strategy, which a plugin replaces (rule 221). */
export const skipUnderPlugin: typeof test = ['', 'default'].includes(
  process.env['STRIDELAB_CUDA_MEMORY_MANAGER'] ?? ''
)
  ? test
  : test.skip;
