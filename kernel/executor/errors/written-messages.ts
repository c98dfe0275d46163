/** The kernel's rewritings in messages of V8, which quote code. */

/** Each with what the user wrote; V8 prints most operands as `(intermediate value)`. */
const REWRITINGS: readonly (readonly [RegExp, string])[] = [
  [/\[([^[\]]*),\(__stridelab\.interrupted && \(intermediate value\)\)\]\[0\]/g, '$1'],
  [/\(0 ?, ?__stridelab\.names\.([^\s()]+)\)/g, '$1'],
  [/__stridelab\.(?:names|constants|forgotten|global)\./g, ''],
  [/__stridelab\.module\(\.\.\.\)/g, 'import(...)'],
  [/__stridelab\.meta\b/g, 'import.meta']
];

/** Returns the message as it would be for the code that the user wrote. */
export function asWritten(message: string): string {
  if (!message.includes('__stridelab')) return message;
  const written = REWRITINGS.reduce((text, [pattern, own]) => text.replace(pattern, own), message);
  // An `await` inside another one.
  return written === message ? message : asWritten(written);
}
