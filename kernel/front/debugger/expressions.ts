/** What people type at a breakpoint is TypeScript; V8 takes JavaScript. */

import { transformSync } from 'oxc-transform';

/** Throws `SyntaxError`. */
export function toJavaScript(text: string): string {
  // An object literal would be a block.
  const whole = text.trim().startsWith('{') ? [`(${text}\n)`, text] : [text];
  let fault: string | undefined;
  for (const candidate of whole) {
    const { code, errors } = transformSync('expression.ts', candidate, {
      lang: 'ts',
      sourceType: 'script',
      target: 'esnext',
      typescript: { onlyRemoveTypeImports: true }
    });
    if (errors.length === 0) return code.trim();
    fault ??= errors[0]!.message;
  }
  throw new SyntaxError(fault);
}
