/** Expressions of users at a breakpoint, in a stopped cell, or about the notebook: TypeScript, compiled to JavaScript for V8. */

import type { Debugger, Runtime } from 'node:inspector';
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

type EvaluationOptions = Pick<Debugger.EvaluateOnCallFrameParameterType, 'objectGroup' | 'throwOnSideEffect'>;

/** Evaluates a TypeScript expression in a call frame, or in the notebook. Throws `SyntaxError`, and `InspectorError` if it throws. */
export async function evaluate(
  inspector: InspectorClient,
  text: string,
  { callFrameId, ...options }: EvaluationOptions & { callFrameId: string | undefined }
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
