/** Expressions of users at a breakpoint, in a stopped cell, or about the notebook: TypeScript, compiled to JavaScript for V8. */

import type { Runtime } from 'node:inspector';
import { transformSync } from 'oxc-transform';
import type { InspectorClient } from './inspector-client.ts';
import { resultOf } from './notebook-client.ts';

/** Compiles an expression to JavaScript. Throws `SyntaxError`. */
export function toJavaScript(text: string): string {
  // Without parentheses, an object literal would parse as a block.
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

interface EvaluationOptions {
  /** Group of handles that determines how long the result lives. */
  readonly objectGroup: string;
  /** Undefined to evaluate in the notebook. */
  readonly callFrameId: string | undefined;
  /** Whether side effects are refused. */
  readonly throwOnSideEffect?: boolean;
}

/** Evaluates a TypeScript expression. Throws `SyntaxError`, and `InspectorError` if the expression throws. */
export async function evaluate(
  inspector: InspectorClient,
  text: string,
  { callFrameId, ...options }: EvaluationOptions
): Promise<Runtime.RemoteObject> {
  const request: Runtime.EvaluateParameterType = {
    ...options,
    expression: toJavaScript(text),
    generatePreview: true,
    silent: true
  };
  return resultOf(
    callFrameId === undefined
      ? await inspector.post('Runtime.evaluate', request)
      : await inspector.post('Debugger.evaluateOnCallFrame', { ...request, callFrameId })
  );
}
