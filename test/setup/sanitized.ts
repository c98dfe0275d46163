/** Whether scripts/sanitize.mjs runs the tests: AddressSanitizer is in this process then, and in those that it starts. */
export const isSanitized = process.env['STRIDELAB_TEST_SANITIZED'] === '1';
