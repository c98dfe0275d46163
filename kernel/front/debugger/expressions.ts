/** Expressions that people type at a breakpoint, while a cell is stopped, or about the notebook: TypeScript, where V8 takes JavaScript. */

import type { Runtime } from 'node:inspector';
import { transformSync } from 'oxc-transform';
import type { InspectorClient } from './inspector-client.ts';
import { resultOf } from './notebook-client.ts';

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

interface EvaluationOptions {
  /** Group of handles that the result lives as long as. */
  readonly objectGroup: string;
  /** Undefined for the notebook. */
  readonly callFrameId: string | undefined;
  /** Refuses side effects. */
  readonly throwOnSideEffect?: boolean;
}

/** Throws `SyntaxError`, and `InspectorError` for what the expression throws. */
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
