/** Whether scripts/sanitize.mjs runs the tests: AddressSanitizer is then active in this process and its children. */
export const isSanitized = process.env['STRIDELAB_TEST_SANITIZED'] === '1';
