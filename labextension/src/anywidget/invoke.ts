/** Calls of kernel commands over custom messages. */

import type { WidgetModel } from '@jupyter-widgets/base';
import { ownBuffer } from './binary.ts';
import type { Experimental, InvokeOptions } from './types.ts';

/** Default timeout of a call without a signal, in ms. */
export const INVOKE_TIMEOUT = 3000;

let calls = 0;

export function experimentalOf(model: WidgetModel): Experimental {
  return { invoke: (name, message, options) => invoke(model, name, message, options) };
}

/** Calls a kernel command. @throws Error with the kernel's sentence, or the signal's reason if it is aborted first. */
function invoke(
  model: WidgetModel,
  name: string,
  message: unknown,
  { buffers = [], signal = AbortSignal.timeout(INVOKE_TIMEOUT) }: InvokeOptions = {}
): Promise<[unknown, DataView[]]> {
  calls += 1;
  // Unique across pages of the same kernel: an answer is sent to all of them.
  const id = `${calls}-${Math.random().toString(36).slice(2)}`;
  return new Promise((resolve, reject) => {
    const end = (): void => {
      model.off('msg:custom', answered);
      signal.removeEventListener('abort', aborted);
    };
    const aborted = (): void => {
      end();
      reject(signal.reason as Error);
    };
    const answered = (content: unknown, answer: DataView[]): void => {
      const { id: found, response, error } = (content ?? {}) as Record<string, unknown>;
      if (found !== id) return;
      end();
      if (typeof error === 'string') reject(new Error(error));
      else resolve([response, answer]);
    };
    if (signal.aborted) return aborted();
    signal.addEventListener('abort', aborted);
    model.on('msg:custom', answered);
    model.send({ id, kind: 'anywidget-command', name, msg: message } as never, {}, buffers.map(ownBuffer));
  });
}
