/** Expressions that people type while a cell is stopped, or at the notebook as a whole. */

import type { Runtime } from 'node:inspector';
import type { Debuggee } from './debuggee.ts';
import { toJavaScript } from './expressions.ts';
import { resultOf } from './notebook-client.ts';

export class Evaluation {
  readonly #debuggee: Debuggee;
  readonly #group: string;

  /** Results live as long as the handles of `group`. */
  constructor(debuggee: Debuggee, group: string) {
    this.#debuggee = debuggee;
    this.#group = group;
  }

  /** Throws `SyntaxError`, and `InspectorError` for what the expression throws. `pure`: refuses side effects. */
  async evaluate(
    expression: string,
    callFrameId: string | undefined,
    pure = false
  ): Promise<Runtime.RemoteObject> {
    const options = {
      expression: toJavaScript(expression),
      objectGroup: this.#group,
      generatePreview: true,
      silent: true,
      throwOnSideEffect: pure
    };
    const { inspector } = this.#debuggee;
    return resultOf(
      callFrameId === undefined
        ? await inspector.post('Runtime.evaluate', options)
        : await inspector.post('Debugger.evaluateOnCallFrame', { ...options, callFrameId })
    );
  }
}
